"""What is the user's, over a hop: every door and every adapter, judged by what the servers of the hop heard."""
