"""RAW TURN -> WHAT IT DECIDED: the normalizer, and what grows on it. To be filled."""
