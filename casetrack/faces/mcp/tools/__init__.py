"""The tools: one module per topic, one class per module, one method per tool."""
