"""The process that starts the steps, keeps them to their time, and writes down what they say."""
