package hierarchy

// ChainStatement is the statement of Chain.
var ChainStatement = View.chain
