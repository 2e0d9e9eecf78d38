"""The scheduler: steps dialogues, answers their asks, and keeps their clocks, turns and limits."""
