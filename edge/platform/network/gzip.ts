const TAKES_GZIP = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i

/** Whether the client takes gzip. Cloudflare replaces `Accept-Encoding` and keeps the original in `cf`. */
export const acceptsGzip = ({ cf, headers }: Request): boolean =>
	TAKES_GZIP.test(String(cf?.clientAcceptEncoding ?? headers.get('accept-encoding') ?? ''))
