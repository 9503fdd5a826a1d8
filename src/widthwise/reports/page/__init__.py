"""Reports as pages: one self-contained HTML file with charts and tables, from disk or served during a run."""
