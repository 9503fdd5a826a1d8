"""Widthwise for other programs: the HTTP service, the Model Context Protocol server, the search debugger of VS Code."""
