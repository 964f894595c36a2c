/** Node's built-in modules that some packages import without `node:`. */
export const UNMARKED =
	/^(crypto|events|stream|util|buffer|net|tls|dns|os|path|fs|http|https|url|zlib|child_process|querystring|punycode)$/
