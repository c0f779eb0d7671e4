"""Worker processes that read files, with limits on time and memory."""
