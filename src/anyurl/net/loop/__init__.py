"""The scheduler: steps dialogues, answers what they ask, and keeps their clocks, turns and limits."""
