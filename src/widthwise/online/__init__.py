"""Acting in a simulator: look-ahead values, behaviour and target policies, the loop of planning and stepping."""
