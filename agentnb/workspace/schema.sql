-- The tables and views of a workspace: what can be asked, and what each column means.
--
-- Tables stand first; a column's comment is the sentence under the field of the same name in agentnb/values. `ws.tables()` shows the comments on
-- tables and views, `ws.columns(…)` those on columns; a column of a view without its own has that of `calls` or `turns`. The tables are made in the
-- schema `contract`, where they stay empty: the tables of the main schema hold the rows, wherever these are (memory or Parquet), with exactly these
-- columns and types. A statement ends with a semicolon at a line's end.

create table sources (
    source_id       varchar not null,
    path            varchar not null,
    format          varchar,
    state           varchar not null,
    reason          varchar,
    bytes           bigint not null,
    modified_at     timestamptz,
    records_read    bigint,
    records_kept    bigint,
    records_merged  bigint,
    records_skipped bigint,
    skipped         varchar,
    diagnostics     bigint
);
comment on table sources is 'a file that was read, with the account of its records';
comment on column sources.source_id is 'Id of the file in this workspace.';
comment on column sources.path is 'Path of the file as it was found, continued inside of an archive; of an object, which is in no file, its name in angle brackets.';
comment on column sources.format is 'Format found by content; null when it is none that can be read.';
comment on column sources.state is 'read, unknown_format, empty, binary, unreadable or duplicate.';
comment on column sources.reason is 'Why it was not read, in words.';
comment on column sources.bytes is 'Size in bytes when it was read.';
comment on column sources.modified_at is 'When the file was last changed, in UTC.';
comment on column sources.records_read is 'Records met: lines of a line format, else messages, steps or the like.';
comment on column sources.records_kept is 'Records that are in the tables.';
comment on column sources.records_merged is 'Records met before, in this file or another, and therefore not kept again.';
comment on column sources.records_skipped is 'Records left out; `skipped` has the reasons.';
comment on column sources.skipped is 'JSON object of the reasons for leaving records out, with their counts.';
comment on column sources.diagnostics is 'Number of diagnostics about it.';

create table diagnostics (
    source_id        varchar not null,
    diagnostic_index bigint not null,
    severity         varchar not null,
    code             varchar not null,
    message          varchar not null,
    source_line      bigint,
    conversation_id  varchar,
    call_id          varchar,
    excerpt          varchar
);
comment on table diagnostics is 'one thing that was odd, with its place';
comment on column diagnostics.source_id is 'The file it is about.';
comment on column diagnostics.diagnostic_index is 'Place among the file''s diagnostics, from 0.';
comment on column diagnostics.severity is 'info, warning or error.';
comment on column diagnostics.code is 'Short name of what is odd, such as not_json or orphan_result.';
comment on column diagnostics.message is 'What is odd, what was done about it, and what to do.';
comment on column diagnostics.source_line is 'Line of the file, from 1; in a file that is one document, the place of the record in its list, from 1.';
comment on column diagnostics.conversation_id is 'The conversation it is about, if one.';
comment on column diagnostics.call_id is 'The call it is about, if one.';
comment on column diagnostics.excerpt is 'The first 200 characters of the record.';

create table conversations (
    conversation_id        varchar not null,
    format                 varchar not null,
    title                  varchar,
    agent_name             varchar,
    agent_version          varchar,
    model                  varchar,
    parent_conversation_id varchar,
    started_at             timestamptz,
    ended_at               timestamptz,
    time_zone_assumed      boolean not null,
    labels                 varchar,
    source_id              varchar not null,
    extra                  varchar
);
comment on table conversations is 'one recorded exchange with an agent';
comment on column conversations.conversation_id is 'The recording''s own id, else a digest of how it begins; opaque text.';
comment on column conversations.format is 'Format it was read from, such as claude_code.';
comment on column conversations.title is 'What the recording calls it, else null.';
comment on column conversations.agent_name is 'Name of the agent or tool that ran.';
comment on column conversations.agent_version is 'Version of that agent.';
comment on column conversations.model is 'The model that answered first.';
comment on column conversations.parent_conversation_id is 'The conversation it continues; null for one that stands alone.';
comment on column conversations.started_at is 'Time of the earliest record, in UTC.';
comment on column conversations.ended_at is 'Time of the latest record, in UTC.';
comment on column conversations.time_zone_assumed is 'Whether a time without a zone was read as UTC.';
comment on column conversations.labels is 'JSON object of what is known about the run as a whole: task, trial, reward, working folder.';
comment on column conversations.source_id is 'The file it was first met in.';
comment on column conversations.extra is 'JSON object of what the reader did not understand.';

create table turns (
    turn_id         varchar not null,
    conversation_id varchar not null,
    turn_index      bigint not null,
    parent_turn_id  varchar,
    state           varchar,
    prompt          varchar,
    answer          varchar,
    started_at      timestamptz,
    ended_at        timestamptz,
    seconds         double,
    source_id       varchar not null,
    source_line     bigint,
    extra           varchar
);
comment on table turns is 'from one thing a person said to the agent''s stop';
comment on column turns.turn_id is 'Id that survives reading the file again; also the id of the turn''s own call.';
comment on column turns.conversation_id is 'The conversation it belongs to.';
comment on column turns.turn_index is 'Place in the conversation, from 0, in file order.';
comment on column turns.parent_turn_id is 'The turn it continues; null for a first turn.';
comment on column turns.state is 'running, waiting, interrupted, done, failed, stopped or abandoned; null when the recording does not tell.';
comment on column turns.prompt is 'What the person said; null when the recording starts with the agent.';
comment on column turns.answer is 'The last text the agent gave; null when it gave none.';
comment on column turns.started_at is 'When it started, in UTC.';
comment on column turns.ended_at is 'When the last record of it was written, in UTC.';
comment on column turns.seconds is 'How long it took, in seconds.';
comment on column turns.source_id is 'The file it was read from.';
comment on column turns.source_line is 'Line of that file, from 1; in a file that is one document, the place of the record in its list, from 1.';
comment on column turns.extra is 'JSON object of what the reader did not understand.';

create table calls (
    call_id            varchar not null,
    conversation_id    varchar not null,
    turn_id            varchar not null,
    parent_call_id     varchar,
    step_id            varchar,
    call_index         bigint not null,
    kind               varchar not null,
    name               varchar not null,
    state              varchar,
    failed             boolean not null,
    input              varchar,
    output             varchar,
    error              varchar,
    exit_code          bigint,
    tool_call_id       varchar,
    finish_reason      varchar,
    input_tokens       bigint,
    output_tokens      bigint,
    cached_tokens      bigint,
    cache_write_tokens bigint,
    reasoning_tokens   bigint,
    cost               double,
    started_at         timestamptz,
    ended_at           timestamptz,
    seconds            double,
    source_id          varchar not null,
    source_line        bigint,
    extra              varchar
);
comment on table calls is 'one run of an agent, model, tool or program; calls nest';
comment on column calls.call_id is 'Id that survives reading the file again; opaque text.';
comment on column calls.conversation_id is 'The conversation it belongs to.';
comment on column calls.turn_id is 'The turn it belongs to.';
comment on column calls.parent_call_id is 'The call it ran inside; null for the turn''s own call.';
comment on column calls.step_id is 'For a tool call the model call that asked for it.';
comment on column calls.call_index is 'Place in the conversation, from 0, in file order.';
comment on column calls.kind is 'What ran: agent, model, tool or program.';
comment on column calls.name is 'Name of the agent, model, tool or program; empty when the recording has none.';
comment on column calls.state is 'How it ended: done, failed, denied, unanswered or running; null when the recording does not tell.';
comment on column calls.failed is 'Whether it failed; false when unknown.';
comment on column calls.input is 'A tool''s arguments as JSON; arguments that are not JSON are kept as one JSON string.';
comment on column calls.output is 'A tool''s result as the agent was shown it, as text.';
comment on column calls.error is 'What went wrong, in the recording''s words.';
comment on column calls.exit_code is 'Exit code of the program that it ran; null when the recording has none.';
comment on column calls.tool_call_id is 'The provider''s id of a tool call; for display only, since it repeats.';
comment on column calls.finish_reason is 'Why the model stopped, in the provider''s word.';
comment on column calls.input_tokens is 'Tokens sent, with what was read from and written to the cache.';
comment on column calls.output_tokens is 'Tokens received, with reasoning; null for the placeholder of a stream.';
comment on column calls.cached_tokens is 'Input tokens read from the cache; part of input_tokens.';
comment on column calls.cache_write_tokens is 'Input tokens written to the cache; part of input_tokens.';
comment on column calls.reasoning_tokens is 'Output tokens spent on reasoning; part of output_tokens.';
comment on column calls.cost is 'Price in US dollars as the recording gives it; never computed.';
comment on column calls.started_at is 'When it started, in UTC.';
comment on column calls.ended_at is 'When it ended, in UTC.';
comment on column calls.seconds is 'How long it took, in seconds; as recorded, else from start to end.';
comment on column calls.source_id is 'The file it was read from.';
comment on column calls.source_line is 'Line of that file, from 1; in a file that is one document, the place of the record in its list, from 1.';
comment on column calls.extra is 'JSON object of what the reader did not understand.';

create table parts (
    conversation_id varchar not null,
    turn_id         varchar not null,
    message_index   bigint not null,
    part_index      bigint not null,
    role            varchar not null,
    type            varchar not null,
    text            varchar,
    step_id         varchar,
    call_id         varchar,
    agent_call_id   varchar not null,
    injected        boolean not null,
    mime_type       varchar,
    said_at         timestamptz,
    source_id       varchar not null,
    source_line     bigint,
    extra           varchar
);
comment on table parts is 'one piece of a message; a tool call or result points to its call';
comment on column parts.conversation_id is 'The conversation it belongs to.';
comment on column parts.turn_id is 'The turn in which it was said.';
comment on column parts.message_index is 'Place of its message in the conversation, from 0, in file order.';
comment on column parts.part_index is 'Place in its message, from 0.';
comment on column parts.role is 'Who said it: system, user, assistant or tool.';
comment on column parts.type is 'What it is: text, reasoning, tool_call, tool_result, image or other.';
comment on column parts.text is 'The text; of an image its data or address as recorded; null for what is in the call and for hidden reasoning.';
comment on column parts.step_id is 'The model call that produced it; null for what a person, a tool or the system said.';
comment on column parts.call_id is 'For tool_call and tool_result the call that holds input and output.';
comment on column parts.agent_call_id is 'The agent call in whose conversation with its model it was said: the turn itself, or a sub-agent''s call.';
comment on column parts.injected is 'Whether the tool, not a person, put it there: a reminder, a command''s output, a summary after compaction.';
comment on column parts.mime_type is 'Media type of an image or a file.';
comment on column parts.said_at is 'When it was recorded, in UTC.';
comment on column parts.source_id is 'The file it was read from.';
comment on column parts.source_line is 'Line of that file, from 1; in a file that is one document, the place of the record in its list, from 1.';
comment on column parts.extra is 'JSON object of what the reader did not understand.';

create table approvals (
    conversation_id varchar not null,
    turn_id         varchar not null,
    call_id         varchar not null,
    question        varchar,
    answer          varchar,
    answered_by     varchar,
    reason          varchar,
    asked_at        timestamptz,
    answered_at     timestamptz,
    source_id       varchar not null,
    source_line     bigint
);
comment on table approvals is 'a question to a person before a tool ran';
comment on column approvals.conversation_id is 'The conversation it belongs to.';
comment on column approvals.turn_id is 'The turn that waited for it.';
comment on column approvals.call_id is 'The tool call that was asked about.';
comment on column approvals.question is 'What the person was asked; null when only the answer was recorded.';
comment on column approvals.answer is 'yes or no; null while it waits.';
comment on column approvals.answered_by is 'Who answered; null when the recording does not tell.';
comment on column approvals.reason is 'Why, in the person''s words.';
comment on column approvals.asked_at is 'When it was asked, in UTC.';
comment on column approvals.answered_at is 'When it was answered, in UTC.';
comment on column approvals.source_id is 'The file it was read from.';
comment on column approvals.source_line is 'Line of that file, from 1; in a file that is one document, the place of the record in its list, from 1.';

create table ratings (
    rating_id   varchar not null,
    call_id     varchar not null,
    kind        varchar not null,
    verdict     varchar,
    rated_by    varchar,
    account     varchar,
    rated_at    timestamptz not null,
    answer      varchar,
    outputs     varchar,
    reasons     varchar[],
    tags        varchar[],
    note        varchar,
    origin      varchar,
    sample      varchar,
    call_name   varchar,
    call_digest varchar,
    counts      boolean not null
);
comment on table ratings is 'one judgement of one call by one person; never edited';
comment on column ratings.rating_id is 'Id of the rating, a UUID version 7.';
comment on column ratings.call_id is 'The call or turn that was judged.';
comment on column ratings.kind is 'What was said: verdict, or tags alone, which neither count nor take anything back.';
comment on column ratings.verdict is 'right or wrong; null withdraws what the same person said before.';
comment on column ratings.rated_by is 'The person''s name; null when only the account is known.';
comment on column ratings.account is 'The account of the operating system, when no person was named.';
comment on column ratings.rated_at is 'When, in UTC.';
comment on column ratings.answer is 'The right answer as JSON; only with wrong.';
comment on column ratings.outputs is 'JSON object of further right outputs by name; only with wrong.';
comment on column ratings.reasons is 'Short reasons for the verdict.';
comment on column ratings.tags is 'Open codes; the latest of a person that are not null replace those before, an empty list takes them back.';
comment on column ratings.note is 'Free text.';
comment on column ratings.origin is 'How it came about: review, edit or import; null in records that do not say.';
comment on column ratings.sample is 'Name of the random draw that the call came from.';
comment on column ratings.call_name is 'Name of the call when it was rated.';
comment on column ratings.call_digest is 'Digest of the call''s input when it was rated; a different one now means that the call changed.';
comment on column ratings.counts is 'Whether it counts: the latest of its person, and not withdrawn.';

create table samples (
    sample        varchar not null,
    sample_id     varchar not null,
    query         varchar,
    seed          bigint not null,
    asked         bigint not null,
    drawn         bigint not null,
    population    bigint not null,
    stratified_by varchar,
    drawn_by      varchar,
    account       varchar,
    drawn_at      timestamptz not null
);
comment on table samples is 'one named random draw of calls; never edited';
comment on column samples.sample is 'Name of the draw.';
comment on column samples.sample_id is 'Id of its record, a UUID version 7.';
comment on column samples.query is 'The query whose calls were drawn from; null when it was no text.';
comment on column samples.seed is 'Seed of the draw: the same seed on the same calls draws the same.';
comment on column samples.asked is 'How many calls were asked for.';
comment on column samples.drawn is 'How many were drawn.';
comment on column samples.population is 'How many calls it was drawn from.';
comment on column samples.stratified_by is 'Column whose groups were drawn from each; null for a simple random draw.';
comment on column samples.drawn_by is 'Who drew it; null when only the account is known.';
comment on column samples.account is 'The account of the operating system, when no person was named.';
comment on column samples.drawn_at is 'When, in UTC.';

create table sampled_calls (
    sample             varchar not null,
    call_id            varchar not null,
    draw_index         bigint not null,
    stratum            varchar,
    stratum_population bigint not null
);
comment on table sampled_calls is 'one call of a random draw';
comment on column sampled_calls.sample is 'Name of the draw.';
comment on column sampled_calls.call_id is 'The call.';
comment on column sampled_calls.draw_index is 'Place in the draw, from 0: the first of a draw are a random draw themselves.';
comment on column sampled_calls.stratum is 'The group it was drawn from; null in a simple random draw.';
comment on column sampled_calls.stratum_population is 'How many calls its group has; in a simple random draw all.';

-- Worked out of these when a query names them

create table decisions (
    decision_id          varchar not null,
    conversation_id      varchar not null,
    turn_id              varchar not null,
    agent_call_id        varchar,
    call_index           bigint not null,
    kind                 varchar not null,
    encoding             varchar not null,
    actions              varchar,
    sub_agents           varchar,
    message              varchar,
    task_complete        boolean not null,
    payload_change       varchar,
    envelope_parsed      boolean,
    step_type            varchar,
    diagnostic           varchar,
    diagnostic_category  varchar,
    concatenated_objects bigint,
    dual_channel         boolean,
    shadow_envelope_kind varchar,
    narration_with_calls boolean,
    placeholder_call     boolean,
    discarded            varchar,
    well_formed          boolean not null,
    well_formed_reason   varchar
);
comment on table decisions is 'what each model call decided, whichever way it said so';
comment on column decisions.decision_id is 'The step: id of its model call.';
comment on column decisions.conversation_id is 'The conversation it belongs to.';
comment on column decisions.turn_id is 'The turn it belongs to.';
comment on column decisions.agent_call_id is 'The agent call it ran inside: the turn''s id, or a sub-agent''s call.';
comment on column decisions.call_index is 'Place of the model call in the conversation, from 0.';
comment on column decisions.kind is 'action, subAgent, chat, taskComplete, payloadChange, other, unparseable or empty.';
comment on column decisions.encoding is 'How it arrived: envelope, native, text or none.';
comment on column decisions.actions is 'JSON list of the actions asked for, each with name and params; null for none.';
comment on column decisions.sub_agents is 'JSON list of the sub-agents handed over to, each with name and message; null for none.';
comment on column decisions.message is 'What the person is told.';
comment on column decisions.task_complete is 'Whether it says that the task is complete.';
comment on column decisions.payload_change is 'JSON object of what it writes to the payload; null for nothing.';
comment on column decisions.envelope_parsed is 'Whether an envelope was read; false when one was expected and unreadable, null when none was expected.';
comment on column decisions.step_type is 'The envelope''s word for the next step, as it stood there.';
comment on column decisions.diagnostic is 'Why it could not be read; null when it could.';
comment on column decisions.diagnostic_category is 'no_output, parse_error, concatenated or not_object; null when it could be read.';
comment on column decisions.concatenated_objects is 'How many JSON objects stood behind each other; null unless that is why it could not be read.';
comment on column decisions.dual_channel is 'Whether a tool call and an envelope came in the same turn; null without tool calls.';
comment on column decisions.shadow_envelope_kind is 'What the envelope beside the tool calls would have decided; null without one.';
comment on column decisions.narration_with_calls is 'Whether words that are no envelope stood beside the tool calls; null without tool calls.';
comment on column decisions.placeholder_call is 'Whether the calls were made only because something had to be called; null without tool calls.';
comment on column decisions.discarded is 'JSON list of what the turn also held and what had no effect; null for nothing.';
comment on column decisions.well_formed is 'Whether a loop could act on it as it came.';
comment on column decisions.well_formed_reason is 'Why a loop could not; null when it could.';

create table rule_hits (
    rule_hit_id     varchar not null,
    conversation_id varchar not null,
    turn_id         varchar not null,
    agent_call_id   varchar not null,
    step_id         varchar,
    call_index      bigint,
    point_index     bigint not null,
    last_point      boolean not null,
    rule            varchar not null,
    phase           varchar not null,
    counting        varchar not null,
    nudge           varchar not null,
    evidence        varchar not null
);
comment on table rule_hits is 'nudges of the continuation rules that were due';
comment on column rule_hits.rule_hit_id is 'Id of the hit: the same for the same recording and rules.';
comment on column rule_hits.conversation_id is 'The conversation it belongs to.';
comment on column rule_hits.turn_id is 'The turn.';
comment on column rule_hits.agent_call_id is 'The agent call whose turn it was: the turn''s id, or a sub-agent''s call.';
comment on column rule_hits.step_id is 'The model call before it; null when calls were recorded without one.';
comment on column rule_hits.call_index is 'Place in the conversation of the last call before it.';
comment on column rule_hits.point_index is 'Place among the points of its agent call, from 0.';
comment on column rule_hits.last_point is 'Whether it is the last point of its agent call.';
comment on column rule_hits.rule is 'Code of the rule.';
comment on column rule_hits.phase is 'tools after a batch of tool calls, final after an answer.';
comment on column rule_hits.counting is 'recorded counts the nudges that were found; counterfactual also those that would have been sent.';
comment on column rule_hits.nudge is 'The text that was due.';
comment on column rule_hits.evidence is 'JSON object of what a person can look at: the sentence with its place, the repeated calls, the reads.';

create table script_rows (
    kind            varchar not null,
    conversation_id varchar,
    turn_id         varchar,
    call_id         varchar,
    tool_call_id    varchar,
    dispatch        bigint not null,
    tool            varchar not null,
    argument        varchar not null,
    language        varchar,
    bytes           bigint not null,
    lines           bigint not null,
    text            varchar,
    outcome         varchar not null,
    exit_code       bigint,
    service_error   boolean,
    result_withheld varchar,
    rewritten       boolean,
    turn            bigint not null,
    iteration       bigint not null
);
comment on table script_rows is 'one row per call of a tool that runs code: what was submitted and how it ended';
comment on column script_rows.kind is 'Always script.';
comment on column script_rows.conversation_id is 'The conversation it belongs to.';
comment on column script_rows.turn_id is 'The turn it belongs to.';
comment on column script_rows.call_id is 'The tool call that ran the program.';
comment on column script_rows.tool_call_id is 'The provider''s id of the call; for display only, since it repeats.';
comment on column script_rows.dispatch is 'Order of dispatch within its turn, from 1; rows are counted and matched by this.';
comment on column script_rows.tool is 'The name the model called.';
comment on column script_rows.argument is 'The argument that carried the program.';
comment on column script_rows.language is 'Language of the program, where the tool, an argument or the program''s first line tells it; never guessed.';
comment on column script_rows.bytes is 'Length of the program in bytes of UTF-8.';
comment on column script_rows.lines is 'Lines of the program, separated by LF; 0 for the empty program.';
comment on column script_rows.text is 'The program while its turn runs; null afterwards, when `script_programs` has it, and over 65,536 bytes.';
comment on column script_rows.outcome is 'submitted, completed, failed, raised, unreported or answered.';
comment on column script_rows.exit_code is 'Exit code as the runner gave it; null when it gave none.';
comment on column script_rows.service_error is 'True when the service that runs the code failed and there is no exit code; else null.';
comment on column script_rows.result_withheld is 'over-ceiling when the tool''s own ceiling kept its result from the model; else null.';
comment on column script_rows.rewritten is 'True when a rule changed the program before it ran; else null.';
comment on column script_rows.turn is 'Number of the turn in the conversation, from 1.';
comment on column script_rows.iteration is 'Number of the model call in its turn that asked for it, from 1.';

create table script_programs (
    call_id          varchar not null,
    argument         varchar not null,
    text             varchar not null,
    shape            varchar,
    cause            varchar,
    blocked          varchar,
    previous_call_id varchar,
    diff             varchar,
    lines_added      bigint,
    lines_removed    bigint
);
comment on table script_programs is 'programs of recorded calls of code-running tools, those that never ran included';
comment on column script_programs.call_id is 'The tool call that asked for the program.';
comment on column script_programs.argument is 'The argument that carried it.';
comment on column script_programs.text is 'The program.';
comment on column script_programs.shape is 'Short name for its form without names, texts and numbers; equal for the same computation written again.';
comment on column script_programs.cause is 'timeout, interrupted or running, where the recording tells why there is no exit code; else null.';
comment on column script_programs.blocked is 'denied, invalid_arguments or unknown_tool when it never ran; else null.';
comment on column script_programs.previous_call_id is 'The call with the program before it of the same tool and turn; null for the first.';
comment on column script_programs.diff is 'What changed from that program, line by line, where that one did not end well or may be an attempt at the same; else null.';
comment on column script_programs.lines_added is 'Lines that are new against that program; null without diff.';
comment on column script_programs.lines_removed is 'Lines of that program that are gone; null without diff.';

-- The same rows by another name

create table model_parts (
    response_id  varchar not null,
    part_index   bigint not null,
    kind         varchar not null,
    call_index   bigint,
    call_id      varchar,
    name         varchar,
    chars        bigint not null,
    output_chars bigint not null,
    verdict      varchar not null,
    code         varchar
);
comment on table model_parts is 'one part of a models answer that was traced, with what could be said after it';
comment on column model_parts.response_id is 'Id of the model call whose answer it is a part of.';
comment on column model_parts.part_index is 'Place in the stream, from 0.';
comment on column model_parts.kind is 'text, reasoning, refusal, call, call_end, finish, usage or error.';
comment on column model_parts.call_index is 'The provider''s number of the call; null when it gives none or the part is about no call.';
comment on column model_parts.call_id is 'The provider''s id of the call, as this part gives it.';
comment on column model_parts.name is 'The tool''s name on the wire, or the piece of it in this part.';
comment on column model_parts.chars is 'Characters by which it made the output longer.';
comment on column model_parts.output_chars is 'Characters of output so far: text, refusal and arguments, without names, ids and reasoning.';
comment on column model_parts.verdict is 'ok when what came so far is a valid selection, pending when more parts can make it one, else doomed.';
comment on column model_parts.code is 'Why it is no valid selection yet; null when it is one.';

create table model_selections (
    response_id       varchar not null,
    selection_index   bigint not null,
    turn_id           varchar,
    transport         varchar not null,
    stage             varchar,
    adapter           varchar not null,
    tool_id           varchar,
    call_id           varchar,
    call_name         varchar,
    argument_chars    bigint,
    input             varchar,
    outcome           varchar not null,
    code              varchar,
    broke_at          bigint,
    resolution        varchar,
    finish_reason     varchar,
    schema_chars      bigint not null,
    instruction_chars bigint not null,
    output_chars      bigint not null,
    catalog_digest    varchar,
    stage_digest      varchar
);
comment on table model_selections is 'one tool that a model chose, or why its answer is no valid choice';
comment on column model_selections.response_id is 'Id of the model call whose answer it is.';
comment on column model_selections.selection_index is 'Place among the selections of the answer, from 0.';
comment on column model_selections.turn_id is 'The turn that the model call belongs to; null when it belongs to none.';
comment on column model_selections.transport is 'The transport that the answer was meant for.';
comment on column model_selections.stage is 'The stage; null for a transport without stages.';
comment on column model_selections.adapter is 'native, json or text.';
comment on column model_selections.tool_id is 'The tool that was chosen; null when the answer is no valid selection.';
comment on column model_selections.call_id is 'The provider''s id of the call that carried it; for display only, since it repeats.';
comment on column model_selections.call_name is 'The name in that call, as the model wrote it.';
comment on column model_selections.argument_chars is 'Length of the arguments as they were streamed, in characters of JSON.';
comment on column model_selections.input is 'The arguments as JSON, before the tool''s own parser; null without a selection.';
comment on column model_selections.outcome is 'ok, broken or cut.';
comment on column model_selections.code is 'Why there is no selection, as a word.';
comment on column model_selections.broke_at is 'The part from which on it could not become valid any more; `part_index` of `model_parts`.';
comment on column model_selections.resolution is 'What the tool said to the arguments: ok, input_rejected or failed; null when it was not asked.';
comment on column model_selections.finish_reason is 'Why the model stopped: stop, length, tool_calls, content_filter, refusal or unknown; null when it did not say.';
comment on column model_selections.schema_chars is 'Characters that the schemas of the stage''s tools took.';
comment on column model_selections.instruction_chars is 'Characters of the instruction, its schemas included; 0 without one.';
comment on column model_selections.output_chars is 'Characters of output: text, refusal and arguments.';
comment on column model_selections.catalog_digest is 'Digest of the tools that were defined; equal digests, equal tools.';
comment on column model_selections.stage_digest is 'Digest of the stages that were offered.';

create view steps as
select
    c.call_id as step_id,
    row_number() over (partition by c.turn_id, c.parent_call_id order by c.call_index) - 1 as step_index,
    c.* exclude (step_id, input, output, exit_code, tool_call_id)
from calls as c
where c.kind = 'model';
comment on column steps.step_id is 'The model call; the same as call_id.';
comment on column steps.step_index is 'Place among the model calls of its agent call, from 0.';
comment on view steps is 'model calls: finish reason, tokens, times; their texts are in parts';

create view tool_calls as
select c.* exclude (finish_reason, input_tokens, output_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, cost)
from calls as c
where c.kind = 'tool';
comment on view tool_calls is 'calls of tools: name, input, output, state, error';

create view messages as
select
    conversation_id,
    turn_id,
    message_index,
    min_by(role, part_index) as role,
    min(said_at) as said_at,
    string_agg(text, chr(10) || chr(10) order by part_index) filter (where type = 'text' and text <> '') as text,
    count(*) as parts
from parts
group by conversation_id, turn_id, message_index;
comment on column messages.message_index is 'Place in the conversation, from 0, in file order.';
comment on column messages.role is 'Who said it: system, user, assistant or tool.';
comment on column messages.said_at is 'When it was recorded, in UTC.';
comment on column messages.text is 'Its text parts, joined by blank lines; reasoning is not text.';
comment on column messages.parts is 'Number of its parts.';
comment on view messages is 'messages with their text, one row each';

-- Totals

create view turn_totals as
select
    t.turn_id,
    t.conversation_id,
    t.turn_index,
    count(*) filter (where c.kind = 'model') as steps,
    count(*) filter (where c.kind = 'tool') as tool_calls,
    count(*) filter (where c.kind = 'tool' and c.failed) as failed_calls,
    count(*) filter (where c.kind = 'tool' and c.state = 'denied') as denied_calls,
    count(*) filter (where c.kind = 'tool' and c.state = 'unanswered') as unanswered_calls,
    cast(sum(c.input_tokens) as bigint) as input_tokens,
    cast(sum(c.output_tokens) as bigint) as output_tokens,
    sum(c.cost) as cost,
    any_value(t.seconds) as seconds
from turns as t
left join calls as c on t.turn_id = c.turn_id
group by t.turn_id, t.conversation_id, t.turn_index;
comment on column turn_totals.steps is 'Model calls, sub-agents'' included.';
comment on column turn_totals.tool_calls is 'Tool calls, sub-agents'' included, also those that never ran.';
comment on column turn_totals.failed_calls is 'Tool calls that failed.';
comment on column turn_totals.denied_calls is 'Tool calls that a person or a rule refused.';
comment on column turn_totals.unanswered_calls is 'Tool calls without a result.';
comment on column turn_totals.input_tokens is 'Tokens sent, over all steps; null when none is known.';
comment on column turn_totals.output_tokens is 'Tokens received, over all steps; null when none is known.';
comment on column turn_totals.cost is 'Price in US dollars as the recording gives it, over all steps; null when none is known.';
comment on column turn_totals.seconds is 'How long the turn took, in seconds.';
comment on view turn_totals is 'per turn: steps, tool calls, failures, tokens, cost, seconds';

create view token_totals as
select
    conversation_id,
    name as model,
    count(*) as steps,
    cast(sum(input_tokens) as bigint) as input_tokens,
    cast(sum(output_tokens) as bigint) as output_tokens,
    cast(sum(cached_tokens) as bigint) as cached_tokens,
    cast(sum(cache_write_tokens) as bigint) as cache_write_tokens,
    cast(sum(reasoning_tokens) as bigint) as reasoning_tokens,
    sum(cost) as cost
from calls
where kind = 'model'
group by conversation_id, name;
comment on column token_totals.model is 'Name of the model; empty when the recording has none.';
comment on column token_totals.steps is 'Model calls.';
comment on column token_totals.input_tokens is 'Tokens sent, with what was read from and written to the cache; null when none is known.';
comment on column token_totals.output_tokens is 'Tokens received, with reasoning; null when none is known.';
comment on view token_totals is 'tokens and cost per conversation and model, each model message counted once';

-- Questions people ask

create view tool_errors as
select call_id, conversation_id, turn_id, call_index, name, error, exit_code, input, output
from calls
where kind = 'tool' and failed;
comment on column tool_errors.name is 'Name of the tool.';
comment on view tool_errors is 'tool calls that failed';

create view denied_calls as
with refusals as (
    select call_id, arg_max(answered_by, coalesce(answered_at, 'epoch')) as answered_by, arg_max(reason, coalesce(answered_at, 'epoch')) as reason
    from approvals
    where answer = 'no'
    group by call_id
)
select c.call_id, c.conversation_id, c.turn_id, c.call_index, c.name, c.input, r.answered_by, r.reason
from calls as c
left join refusals as r on c.call_id = r.call_id
where c.kind = 'tool' and c.state = 'denied';
comment on column denied_calls.name is 'Name of the tool.';
comment on column denied_calls.answered_by is 'Who refused; null when the recording does not tell.';
comment on column denied_calls.reason is 'Why, in the person''s words.';
comment on view denied_calls is 'tool calls that a person or a rule refused';

create view unanswered_calls as
select call_id, conversation_id, turn_id, call_index, name, input
from calls
where kind = 'tool' and state = 'unanswered';
comment on column unanswered_calls.name is 'Name of the tool.';
comment on view unanswered_calls is 'tool calls without a result: interrupted, crashed, or still waiting';

create view repeated_calls as
select
    turn_id,
    min(conversation_id) as conversation_id,
    parent_call_id,
    name,
    input,
    count(*) as calls,
    count(*) filter (where failed) as failed_calls,
    count(distinct output) as outputs,
    min_by(call_id, call_index) as first_call_id,
    max_by(call_id, call_index) as last_call_id
from calls
where kind = 'tool'
group by turn_id, parent_call_id, name, input
having count(*) > 1;
comment on column repeated_calls.parent_call_id is 'The agent call that asked for it again and again.';
comment on column repeated_calls.name is 'Name of the tool.';
comment on column repeated_calls.calls is 'How often it was called.';
comment on column repeated_calls.failed_calls is 'How often it failed.';
comment on column repeated_calls.outputs is 'How many different results it gave.';
comment on column repeated_calls.first_call_id is 'The first of these calls.';
comment on column repeated_calls.last_call_id is 'The last of these calls.';
comment on view repeated_calls is 'the same tool with the same input more than once in a turn; outputs = 1 means it never changed';

create view slow_calls as
select call_id, conversation_id, turn_id, call_index, kind, name, seconds
from calls
where kind in ('tool', 'model') and seconds >= 10;
comment on view slow_calls is 'model and tool calls that took ten seconds or more';

create view rated_calls as
select
    c.call_id,
    c.conversation_id,
    c.turn_id,
    c.kind,
    c.name,
    r.rating_id,
    r.verdict,
    r.rated_by,
    r.account,
    r.rated_at,
    r.answer,
    r.outputs,
    r.reasons,
    r.note,
    coalesce(r.origin, 'review') as origin,
    r.sample,
    count(*) over (partition by c.call_id) as raters,
    coalesce(
        min(r.verdict) over (partition by c.call_id) <> max(r.verdict) over (partition by c.call_id)
        or min(r.given) over (partition by c.call_id) <> max(r.given) over (partition by c.call_id),
        false
    ) as disputed
from (
    select *, case when answer is not null or outputs is not null then to_json([answer, outputs])::varchar end as given
    from ratings
) as r
inner join calls as c on r.call_id = c.call_id
where r.counts;
comment on column rated_calls.rating_id is 'Id of the rating.';
comment on column rated_calls.verdict is 'right or wrong.';
comment on column rated_calls.rated_by is 'The person''s name; null when only the account is known.';
comment on column rated_calls.account is 'The account of the operating system, when no person was named.';
comment on column rated_calls.rated_at is 'When, in UTC.';
comment on column rated_calls.answer is 'The right answer as JSON; only with wrong.';
comment on column rated_calls.outputs is 'JSON object of further right outputs by name; only with wrong.';
comment on column rated_calls.reasons is 'Short reasons for the verdict.';
comment on column rated_calls.note is 'Free text.';
comment on column rated_calls.origin is 'How it came about: review, edit or import; review where the record does not say.';
comment on column rated_calls.sample is 'Name of the random draw that the call was rated in.';
comment on column rated_calls.raters is 'How many ratings of this call count.';
comment on column rated_calls.disputed is 'Whether people differ about this call: in the verdict, or in the right answer.';
comment on view rated_calls is 'calls with the ratings that count: per person the latest, withdrawn ones left out';

create view program_calls as
select
    c.call_id,
    c.conversation_id,
    c.turn_id,
    c.kind,
    c.name as program,
    case when c.kind = 'agent' then json_extract_string(c.extra, '$.program.module') end as module,
    v.agent_name,
    coalesce(
        case when c.kind = 'agent' then coalesce(json_extract_string(c.extra, '$.program.version'), json_extract_string(c.extra, '$.turn.program')) end,
        v.agent_version
    ) as version,
    coalesce(case c.kind when 'model' then c.name when 'agent' then json_extract_string(c.extra, '$.ended_model') end, v.model) as model,
    case
        when c.kind = 'agent' and json_exists(c.extra, '$.caller.optimization') then 'optimization'
        when c.kind = 'agent' and json_exists(c.extra, '$.caller.evaluation') then 'evaluation'
        else 'use'
    end as purpose,
    c.failed,
    c.cost,
    c.seconds,
    c.started_at
from calls as c
inner join conversations as v on c.conversation_id = v.conversation_id;
comment on column program_calls.program is 'Name of the program, agent, tool or model that was called.';
comment on column program_calls.module is 'Module that defines a program; null for what was imported from elsewhere.';
comment on column program_calls.agent_name is 'Name of the agent of the conversation.';
comment on column program_calls.version is 'Fingerprint of the program; without one, the version of the agent.';
comment on column program_calls.model is 'The model that answered, as far as it is known: that of the call, else the first of the conversation.';
comment on column program_calls.purpose is 'Why it was called: use, evaluation or optimization; only calls in use say how good a program is.';
comment on view program_calls is 'calls by program and version, with model, purpose, cost and time';

create view call_tags as
select distinct c.call_id, c.conversation_id, c.turn_id, c.kind, c.name, unnest(r.tags) as tag, r.rated_by, r.account, r.rated_at
from (
    from ratings
    where tags is not null
    qualify rated_by is null or row_number() over (partition by call_id, rated_by order by rated_at desc, rating_id desc) = 1
) as r
inner join calls as c on r.call_id = c.call_id;
comment on column call_tags.tag is 'One open code.';
comment on column call_tags.rated_by is 'Who gave it; null when only the account is known.';
comment on column call_tags.account is 'The account of the operating system, when no person was named.';
comment on column call_tags.rated_at is 'When, in UTC.';
comment on view call_tags is 'calls with the tags that people gave them in open coding: per person the latest';

create view tag_counts as
select
    t.tag,
    count(distinct t.call_id) as calls,
    count(distinct t.rated_by) as people,
    count(distinct r.call_id) filter (where r.verdict = 'right') as right_calls,
    count(distinct r.call_id) filter (where r.verdict = 'wrong') as wrong_calls
from call_tags as t
left join rated_calls as r on t.call_id = r.call_id
group by t.tag;
comment on column tag_counts.tag is 'One open code.';
comment on column tag_counts.calls is 'Calls that have it.';
comment on column tag_counts.people is 'Named people who gave it.';
comment on column tag_counts.right_calls is 'Calls that have it and that somebody calls right.';
comment on column tag_counts.wrong_calls is 'Calls that have it and that somebody calls wrong.';
comment on view tag_counts is 'tags of open coding, with how often they were given and what was said of these calls';

create view disputed_calls as
select
    call_id,
    conversation_id,
    turn_id,
    name,
    list(verdict order by rated_at, rating_id) as verdicts,
    list(coalesce(rated_by, account) order by rated_at, rating_id) as raters
from rated_calls
where disputed
group by call_id, conversation_id, turn_id, name;
comment on column disputed_calls.verdicts is 'The verdicts that count, oldest first.';
comment on column disputed_calls.raters is 'Who gave them, in the same order; an account where no person was named.';
comment on view disputed_calls is 'calls that people judge differently';

create view odd_records as
select s.path, d.code, d.severity, count(*) as records, min(d.source_line) as first_line, min_by(d.message, d.diagnostic_index) as message
from diagnostics as d
left join sources as s on d.source_id = s.source_id
group by s.path, d.code, d.severity;
comment on column odd_records.path is 'Path of the file as it was found; null for ratings and tables of this workspace.';
comment on column odd_records.code is 'Short name of what is odd, such as not_json or orphan_result.';
comment on column odd_records.severity is 'info, warning or error.';
comment on column odd_records.records is 'How often.';
comment on column odd_records.first_line is 'The first line of it.';
comment on column odd_records.message is 'What is odd, what was done about it, and what to do.';
comment on view odd_records is 'diagnostics by file and code, with the first place';

-- What code ran

-- 1. Every program in its order, without its text; safe to hand on (14).
create view scripts as
select r.* exclude (kind, text), p.shape, p.cause
from script_rows as r
left join script_programs as p on r.call_id = p.call_id;
comment on column scripts.shape is 'Short name for its form without names, texts and numbers.';
comment on column scripts.cause is 'timeout, interrupted or running, where the recording tells why there is no exit code; else null.';
comment on view scripts is 'programs that ran, without their text: safe to hand on';

-- 2. Submitted and never settled: hung, crashed, still running, or waiting for a person.
create view unsettled_scripts as
select
    r.call_id,
    r.conversation_id,
    r.turn_id,
    r.dispatch,
    r.tool,
    r.language,
    r.bytes,
    r.lines,
    coalesce(p.cause = 'running', false) as running,
    exists (select 1 from approvals as a where a.call_id = r.call_id and a.answer is null) as waits_for_person
from script_rows as r
left join script_programs as p on r.call_id = p.call_id
where r.outcome = 'submitted';
comment on column unsettled_scripts.dispatch is 'Order of dispatch within its turn, from 1.';
comment on column unsettled_scripts.tool is 'The name the model called.';
comment on column unsettled_scripts.language is 'Language of the program, where the recording tells it.';
comment on column unsettled_scripts.bytes is 'Length of the program in bytes of UTF-8.';
comment on column unsettled_scripts.lines is 'Lines of the program.';
comment on column unsettled_scripts.running is 'Whether the recording says that it was still running.';
comment on column unsettled_scripts.waits_for_person is 'Whether a person was asked about it and has not answered.';
comment on view unsettled_scripts is 'programs that were submitted and never came to an end';

-- 3. Failed, by how.
create view failed_scripts as
select
    r.call_id,
    r.conversation_id,
    r.turn_id,
    r.dispatch,
    r.tool,
    r.language,
    case
        when r.outcome = 'raised' then 'raised'
        when r.exit_code is not null then 'exit_code'
        when r.service_error then 'service_error'
        else 'neither'
    end as failure,
    r.exit_code,
    p.cause,
    c.error
from script_rows as r
left join script_programs as p on r.call_id = p.call_id
left join calls as c on r.call_id = c.call_id
where r.outcome in ('failed', 'raised');
comment on column failed_scripts.dispatch is 'Order of dispatch within its turn, from 1.';
comment on column failed_scripts.tool is 'The name the model called.';
comment on column failed_scripts.language is 'Language of the program, where the recording tells it.';
comment on column failed_scripts.failure is 'exit_code, service_error, raised where it never got to run, or neither, as when it was killed.';
comment on column failed_scripts.cause is 'timeout or interrupted, where the recording tells.';
comment on view failed_scripts is 'programs that failed, and by what that is known';

-- 4. Completed, and the model never saw what came out.
create view silent_scripts as
select r.call_id, r.conversation_id, r.turn_id, r.dispatch, r.tool, r.language, r.exit_code, r.result_withheld
from script_rows as r
where r.outcome = 'completed' and r.result_withheld is not null;
comment on column silent_scripts.dispatch is 'Order of dispatch within its turn, from 1.';
comment on column silent_scripts.tool is 'The name the model called.';
comment on column silent_scripts.language is 'Language of the program, where the recording tells it.';
comment on column silent_scripts.result_withheld is 'Why the model did not see the result.';
comment on view silent_scripts is 'programs that completed while their result was kept from the model';

-- 5. What ran is not what the model wrote.
create view rewritten_scripts as
select r.call_id, r.conversation_id, r.turn_id, r.dispatch, r.tool, r.language, r.outcome, p.text
from script_rows as r
left join script_programs as p on r.call_id = p.call_id
where r.rewritten;
comment on column rewritten_scripts.dispatch is 'Order of dispatch within its turn, from 1.';
comment on column rewritten_scripts.tool is 'The name the model called.';
comment on column rewritten_scripts.language is 'Language of the program, where the recording tells it.';
comment on column rewritten_scripts.outcome is 'submitted, completed, failed, raised, unreported or answered.';
comment on column rewritten_scripts.text is 'The program that ran; what the model wrote is on no row.';
comment on view rewritten_scripts is 'programs that a rule changed before they ran';

-- 6. Ids of the provider that several programs of one turn share.
create view reused_script_ids as
select
    r.conversation_id,
    r.turn_id,
    r.tool_call_id,
    count(*) as dispatches,
    list(r.dispatch order by r.dispatch) as dispatch_numbers
from script_rows as r
where r.tool_call_id is not null
group by r.conversation_id, r.turn_id, r.tool_call_id
having count(*) > 1;
comment on column reused_script_ids.dispatches is 'How many programs of the turn have this id.';
comment on column reused_script_ids.dispatch_numbers is 'Their numbers.';
comment on column reused_script_ids.tool_call_id is 'The provider''s id.';
comment on view reused_script_ids is 'ids of the provider that more than one program of a turn has';

-- 7. The program, or why there is none.
create view script_texts as
select
    r.call_id,
    r.conversation_id,
    r.turn_id,
    r.turn,
    r.dispatch,
    coalesce(r.text, p.text) as text,
    case
        when coalesce(r.text, p.text) is not null then null
        when r.bytes > 65536 then 'over 65,536 bytes'
        else 'its turn has ended'
    end as missing_because
from script_rows as r
left join script_programs as p on r.call_id = p.call_id;
comment on column script_texts.turn is 'Number of the turn in the conversation, from 1.';
comment on column script_texts.dispatch is 'Order of dispatch within its turn, from 1.';
comment on column script_texts.text is 'The program; null when it is not kept.';
comment on column script_texts.missing_because is 'Why it is not kept; null when it is.';
comment on view script_texts is 'text of every program that ran, or why there is none';

-- 8. The story of retries: what changed from one program to the next, and how many attempts it took.
create view script_changes as
select
    r.call_id,
    r.conversation_id,
    r.turn_id,
    r.dispatch,
    r.tool,
    b.dispatch as previous_dispatch,
    b.outcome as previous_outcome,
    r.outcome,
    p.lines_added,
    p.lines_removed,
    p.diff
from script_rows as r
inner join script_programs as p on r.call_id = p.call_id
inner join script_rows as b on p.previous_call_id = b.call_id
where p.diff is not null;
comment on column script_changes.dispatch is 'Order of dispatch within its turn, from 1.';
comment on column script_changes.tool is 'The name the model called.';
comment on column script_changes.previous_dispatch is 'Number of the program before it, of the same tool.';
comment on column script_changes.previous_outcome is 'How that one ended.';
comment on column script_changes.outcome is 'How this one ended.';
comment on column script_changes.lines_added is 'Lines that are new.';
comment on column script_changes.lines_removed is 'Lines that are gone.';
comment on column script_changes.diff is 'The change, line by line; empty when the same program ran again.';
comment on view script_changes is 'what changed from one program of a tool to the next: the story of a retry';

create view script_attempts as
with counted as (
    select
        *,
        coalesce(
            sum(case when outcome = 'completed' then 1 else 0 end) over (
                partition by turn_id, tool
                order by dispatch
                rows between unbounded preceding and 1 preceding
            ),
            0
        ) as successes_before
    from script_rows
)
select
    min_by(call_id, dispatch) as call_id,
    min(conversation_id) as conversation_id,
    turn_id,
    tool,
    min(dispatch) as first_dispatch,
    max(dispatch) as last_dispatch,
    count(*) as attempts,
    count(*) filter (where outcome in ('failed', 'raised')) as failed_attempts,
    bool_or(outcome = 'completed') as succeeded
from counted
group by turn_id, tool, successes_before;
comment on column script_attempts.call_id is 'The first attempt.';
comment on column script_attempts.tool is 'The name the model called.';
comment on column script_attempts.first_dispatch is 'Number of the first attempt.';
comment on column script_attempts.last_dispatch is 'Number of the last attempt.';
comment on column script_attempts.attempts is 'Programs from after the last success up to and with the next one.';
comment on column script_attempts.failed_attempts is 'How many of them failed.';
comment on column script_attempts.succeeded is 'Whether the last of them is known to have succeeded; many recordings do not tell.';
comment on view script_attempts is 'per turn and tool: how many programs it took until one succeeded';

-- 9. The same computation, written again.
create view repeated_script_shapes as
select
    r.conversation_id,
    r.turn_id,
    p.shape,
    r.language,
    count(*) as programs,
    count(distinct p.text) as different_programs,
    count(*) filter (where r.outcome in ('failed', 'raised')) as failed_programs,
    min_by(r.call_id, r.dispatch) as first_call_id,
    max_by(r.call_id, r.dispatch) as last_call_id
from script_rows as r
inner join script_programs as p on r.call_id = p.call_id
where p.shape is not null
group by r.conversation_id, r.turn_id, p.shape, r.language
having count(*) > 1;
comment on column repeated_script_shapes.shape is 'Short name for the form of the program.';
comment on column repeated_script_shapes.language is 'Language of the programs, where the recording tells it.';
comment on column repeated_script_shapes.programs is 'How many programs of the turn have this form.';
comment on column repeated_script_shapes.different_programs is 'How many different texts these are.';
comment on column repeated_script_shapes.failed_programs is 'How many of them failed.';
comment on column repeated_script_shapes.first_call_id is 'The first of them.';
comment on column repeated_script_shapes.last_call_id is 'The last of them.';
comment on view repeated_script_shapes is 'programs of one form, more than one in a turn: the same computation written again';

-- 10. Programs that are unusually large for their tool.
create view script_sizes as
select
    r.call_id,
    r.conversation_id,
    r.turn_id,
    r.dispatch,
    r.tool,
    r.bytes,
    r.lines,
    r.bytes / nullif(median(r.bytes) over (partition by r.tool), 0) as times_median,
    r.bytes > 65536 as over_limit
from script_rows as r;
comment on column script_sizes.dispatch is 'Order of dispatch within its turn, from 1.';
comment on column script_sizes.tool is 'The name the model called.';
comment on column script_sizes.bytes is 'Length of the program in bytes of UTF-8.';
comment on column script_sizes.lines is 'Lines of the program.';
comment on column script_sizes.times_median is 'Its length as a multiple of the median of all programs of this tool.';
comment on column script_sizes.over_limit is 'Whether it is too long for its text to be kept live.';
comment on view script_sizes is 'sizes of programs, and how they compare with others of the tool';

-- 11. The last program that succeeded before the answer.
create view last_good_scripts as
select
    r.conversation_id,
    r.turn_id,
    max_by(r.call_id, r.dispatch) as call_id,
    max(r.dispatch) as dispatch,
    max_by(r.tool, r.dispatch) as tool,
    count(*) as completed
from script_rows as r
where r.outcome = 'completed'
group by r.conversation_id, r.turn_id;
comment on column last_good_scripts.call_id is 'The tool call that ran it.';
comment on column last_good_scripts.dispatch is 'Its number in the turn.';
comment on column last_good_scripts.tool is 'The name the model called.';
comment on column last_good_scripts.completed is 'Programs of the turn that are known to have succeeded.';
comment on view last_good_scripts is 'per turn the last program that succeeded before the answer';

-- 12. Code that an answer shows, against the programs that ran.
create view answer_code as
with blocks as (
    select
        conversation_id,
        turn_id,
        unnest(regexp_extract_all(answer || chr(10), '(?s)```[^`\n]*\n(.*?)\n?```', 1)) as code
    from turns
    where answer like '%```%'
)
select
    b.conversation_id,
    b.turn_id,
    b.code,
    min(r.dispatch) as dispatch,
    min_by(r.call_id, r.dispatch) as call_id,
    case when min(r.dispatch) is null then 'no-matching-script' else 'matched' end as verdict
from blocks as b
left join script_programs as p on rtrim(replace(b.code, chr(13), ''), chr(10)) = rtrim(replace(p.text, chr(13), ''), chr(10))
left join script_rows as r on p.call_id = r.call_id and b.turn_id = r.turn_id
group by b.conversation_id, b.turn_id, b.code;
comment on column answer_code.code is 'A fenced block of the answer.';
comment on column answer_code.dispatch is 'Number of the first program of the turn that equals it; null when none does.';
comment on column answer_code.call_id is 'The tool call that ran that program.';
comment on column answer_code.verdict is 'matched or no-matching-script; a match proves that the program was submitted, and nothing about its output.';
comment on view answer_code is 'code blocks of answers, and whether a program of the turn equals them';

-- 13. Programs that never ran.
create view blocked_scripts as
select c.call_id, c.conversation_id, c.turn_id, c.call_index, c.name, p.blocked, p.argument, p.text, c.error
from script_programs as p
inner join calls as c on p.call_id = c.call_id
where p.blocked is not null;
comment on column blocked_scripts.name is 'The name the model called.';
comment on column blocked_scripts.blocked is 'denied, invalid_arguments or unknown_tool.';
comment on column blocked_scripts.argument is 'The argument that carried the program.';
comment on column blocked_scripts.text is 'The program.';
comment on view blocked_scripts is 'programs that were stopped before they ran';

-- What steps decided

create view decision_kinds as
select k.name as model, d.encoding, d.kind, count(*) as decisions, avg(d.well_formed::int) as well_formed_share
from decisions as d
inner join calls as k on d.conversation_id = k.conversation_id and d.decision_id = k.call_id
group by k.name, d.encoding, d.kind;
comment on column decision_kinds.model is 'Name of the model; empty when the recording has none.';
comment on column decision_kinds.encoding is 'How the decisions arrived: envelope, native, text or none.';
comment on column decision_kinds.kind is 'What was decided.';
comment on column decision_kinds.decisions is 'How many.';
comment on column decision_kinds.well_formed_share is 'Share of them that a loop could act on, from 0 to 1.';
comment on view decision_kinds is 'what models decide, by how they say it';

create view unreadable_decisions as
select decision_id, conversation_id, turn_id, call_index, kind, diagnostic_category, diagnostic, concatenated_objects
from decisions
where kind in ('unparseable', 'empty');
comment on column unreadable_decisions.decision_id is 'The step: id of its model call.';
comment on column unreadable_decisions.diagnostic_category is 'no_output, parse_error, concatenated or not_object; null when it could be read.';
comment on column unreadable_decisions.diagnostic is 'Why it could not be read; null when it could.';
comment on column unreadable_decisions.concatenated_objects is 'How many JSON objects stood behind each other; null unless that is why it could not be read.';
comment on view unreadable_decisions is 'model calls of which no decision can be read, and why';

create view dual_channel_decisions as
select decision_id, conversation_id, turn_id, call_index, kind, shadow_envelope_kind, kind <> shadow_envelope_kind as contradicts
from decisions
where dual_channel;
comment on column dual_channel_decisions.decision_id is 'The step: id of its model call.';
comment on column dual_channel_decisions.shadow_envelope_kind is 'What the envelope beside the tool calls would have decided; null without one.';
comment on column dual_channel_decisions.contradicts is 'Whether the envelope would have decided something else.';
comment on view dual_channel_decisions is 'model calls that said one thing by a tool call and another by an envelope';

create view judged_decisions as
select d.decision_id, d.conversation_id, d.turn_id, d.call_index, d.kind, d.encoding, d.well_formed, d.well_formed_reason, r.verdict, r.rated_by, r.rating_id
from decisions as d
inner join ratings as r on d.decision_id = r.call_id
where r.counts;
comment on column judged_decisions.decision_id is 'The step: id of its model call.';
comment on column judged_decisions.encoding is 'How it arrived: envelope, native, text or none.';
comment on column judged_decisions.well_formed is 'Whether a loop could act on it as it came.';
comment on column judged_decisions.well_formed_reason is 'Why a loop could not; null when it could.';
comment on column judged_decisions.verdict is 'right or wrong.';
comment on column judged_decisions.rated_by is 'The person''s name; null when only the account is known.';
comment on column judged_decisions.rating_id is 'Id of the rating.';
comment on view judged_decisions is 'decisions that a person judged';

create view right_but_unusable as
select decision_id, conversation_id, turn_id, kind, encoding, well_formed_reason, rated_by
from judged_decisions
where verdict = 'right' and not well_formed;
comment on column right_but_unusable.decision_id is 'The step: id of its model call.';
comment on column right_but_unusable.encoding is 'How it arrived: envelope, native, text or none.';
comment on column right_but_unusable.well_formed_reason is 'Why a loop could not; null when it could.';
comment on column right_but_unusable.rated_by is 'The person''s name; null when only the account is known.';
comment on view right_but_unusable is 'decisions that a person called right and no loop could act on';

create view usable_but_wrong as
select decision_id, conversation_id, turn_id, kind, encoding, rated_by
from judged_decisions
where verdict = 'wrong' and well_formed;
comment on column usable_but_wrong.decision_id is 'The step: id of its model call.';
comment on column usable_but_wrong.encoding is 'How it arrived: envelope, native, text or none.';
comment on column usable_but_wrong.rated_by is 'The person''s name; null when only the account is known.';
comment on view usable_but_wrong is 'decisions that a loop could act on and a person called wrong';

create view forced_retries as
select
    d.decision_id,
    d.conversation_id,
    d.turn_id,
    d.call_index,
    d.kind,
    d.well_formed_reason,
    lead(d.decision_id) over (partition by d.conversation_id, d.turn_id, d.agent_call_id order by d.call_index) as next_decision_id,
    lead(d.kind) over (partition by d.conversation_id, d.turn_id, d.agent_call_id order by d.call_index) as next_kind
from decisions as d
qualify not d.well_formed and next_decision_id is not null;
comment on column forced_retries.decision_id is 'The step: id of its model call.';
comment on column forced_retries.well_formed_reason is 'Why a loop could not; null when it could.';
comment on column forced_retries.next_decision_id is 'The model call after it.';
comment on column forced_retries.next_kind is 'What that one decided.';
comment on view forced_retries is 'model calls that no loop could act on, and the one that had to follow';

-- Why turns stopped, and why they went on

create view ended_too_early as
select h.conversation_id, h.turn_id, t.state, h.rule, h.step_id, h.nudge, h.evidence, t.answer
from rule_hits as h
inner join turns as t on h.conversation_id = t.conversation_id and h.turn_id = t.turn_id
where h.counting = 'counterfactual' and h.phase = 'final' and h.last_point and h.agent_call_id = h.turn_id;
comment on column ended_too_early.state is 'done, failed, stopped, interrupted, waiting, running or abandoned; null when the recording does not tell.';
comment on column ended_too_early.answer is 'The last text the agent gave.';
comment on view ended_too_early is 'turns whose last answer a continuation rule would not have let pass, and why';

create view loops as
select conversation_id, turn_id, agent_call_id, step_id, call_index, nudge, evidence
from rule_hits
where counting = 'counterfactual' and rule = 'no_progress';
comment on view loops is 'points at which an agent asked for the same again and got the same, so that it made no progress';

create view unverified_writes as
select conversation_id, turn_id, agent_call_id, step_id, evidence ->> '$.last_write' as last_write, evidence ->> '$.last_check' as last_check, nudge
from rule_hits
where counting = 'counterfactual' and rule = 'verify_before_done';
comment on column unverified_writes.last_write is 'The last call that wrote.';
comment on column unverified_writes.last_check is 'The last call that checked; null when none did.';
comment on view unverified_writes is 'answers after a change that nothing checked';

create view false_done as
select h.conversation_id, h.turn_id, h.step_id, h.evidence, t.answer
from rule_hits as h
inner join turns as t on h.conversation_id = t.conversation_id and h.turn_id = t.turn_id
where h.counting = 'counterfactual' and h.rule = 'verify_failed' and h.last_point and t.state = 'done';
comment on column false_done.answer is 'The last text the agent gave.';
comment on view false_done is 'turns that ended well by their own words while the last check was red';

create view announced_not_done as
select h.conversation_id, h.turn_id, h.agent_call_id, h.step_id, h.evidence ->> '$.sentence' as sentence, h.nudge
from rule_hits as h
where
    h.counting = 'counterfactual'
    and h.rule = 'no_action'
    and exists (select 1 from calls as c where c.conversation_id = h.conversation_id and c.kind = 'tool');
comment on column announced_not_done.sentence is 'The sentence that announces what was then not done.';
comment on view announced_not_done is 'answers that announce work and ask for no tool, in conversations that have tools';

-- What became of models' answers, part by part: `ws.record` fills these

create view selection_failures as
select
    s.stage,
    s.adapter,
    s.code,
    count(*) as responses,
    count(*) filter (where s.outcome = 'cut') as cut
from model_selections as s
where s.code is not null
group by s.stage, s.adapter, s.code
order by responses desc, s.stage, s.adapter, s.code;
comment on column selection_failures.code is 'What is wrong, as a word.';
comment on column selection_failures.responses is 'Number of answers.';
comment on column selection_failures.cut is 'How many of them only stopped too early: nothing in them is wrong.';
comment on view selection_failures is 'answers that are no valid selection, by stage, adapter and what is wrong';

create view narrow_stages as
select
    s.stage,
    s.call_name,
    count(*) as responses,
    count(*) filter (
        where exists (
            select 1
            from model_selections as o
            where o.catalog_digest = s.catalog_digest
                and o.call_name = s.call_name
                and o.stage <> s.stage
                and o.tool_id is not null
        )
    ) as offered_elsewhere
from model_selections as s
where s.code = 'tool_not_in_stage'
group by s.stage, s.call_name
order by responses desc, s.stage, s.call_name;
comment on column narrow_stages.responses is 'Number of answers that asked for it.';
comment on column narrow_stages.offered_elsewhere is 'How many of them ask for a tool that was chosen in another stage of the same tools.';
comment on view narrow_stages is 'tools that models asked for where the stage did not offer them; offered_elsewhere: another stage of the same tools does';

create view output_before_break as
select
    s.stage,
    s.adapter,
    s.code,
    count(*) as responses,
    avg((p.output_chars - p.chars) / s.output_chars) as share_before,
    sum(s.output_chars - p.output_chars)::bigint as chars_after
from model_selections as s
join model_parts as p on p.response_id = s.response_id and p.part_index = s.broke_at
where s.output_chars > 0
group by s.stage, s.adapter, s.code
order by chars_after desc, s.stage, s.adapter, s.code;
comment on column output_before_break.responses is 'Number of answers that broke.';
comment on column output_before_break.share_before is 'Mean share of the output that had come before the part that broke it, from 0 to 1.';
comment on column output_before_break.chars_after is 'Characters of output after the parts that broke them.';
comment on view output_before_break is 'how much of an answer had come when it broke, and how much came in vain after it';

create view rejected_inputs as
select
    s.response_id,
    s.selection_index,
    s.turn_id,
    s.stage,
    s.tool_id,
    s.input
from model_selections as s
where s.resolution = 'input_rejected'
order by s.response_id, s.selection_index;
comment on view rejected_inputs is 'selections whose arguments the schema lets pass and the tool''s own parser does not';

create view rated_stage_sizes as
select
    s.stage,
    s.adapter,
    s.schema_chars,
    count(*) as rated,
    count(*) filter (where r.verdict = 'wrong') as wrong
from rated_calls as r
join calls as c on c.call_id = r.call_id
join (select distinct response_id, stage, adapter, schema_chars from model_selections) as s on s.response_id = c.step_id
group by s.stage, s.adapter, s.schema_chars
order by s.schema_chars, s.stage, s.adapter;
comment on column rated_stage_sizes.rated is 'Number of ratings that count.';
comment on column rated_stage_sizes.wrong is 'How many of them say wrong.';
comment on view rated_stage_sizes is 'ratings of tool calls beside the size of the schemas that their model call was shown';
