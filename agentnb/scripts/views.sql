-- The tables and views of script rows, in the manner of schema.sql, which takes them over: what code was asked for, what ran, and how it ended.
--
-- `rows_of_calls` fills both tables. That a program ran is never evidence that its output is right.

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
