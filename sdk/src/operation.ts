declare const types: unique symbol

/**
 * One operation of the API: its route, its traits, and the names of its query parameters if it also has a body. Every
 * bundler can drop an unused array, but not an unused function call.
 */
export type Operation<Input, Output, Item = never> = readonly [
	route: string,
	traits?: number,
	query?: string,
] & { readonly [types]?: { input: Input; output: Output; item: Item } }

export type AnyOperation = Operation<unknown, unknown, unknown>

// The traits of operations as bits, which npm run sdk writes. Bundlers inline these constants.
/** The operation takes `Idempotency-Key`, so calls can be retried. */
export const IDEMPOTENT = 1
/** The response is `{ data }`. */
export const WRAPPED = 2
/** The response is a list; a header contains the cursor of the next page. */
export const CURSOR_PAGED = 4
/** The response is a list in `records`, with numbered pages. */
export const NUMBER_PAGED = 8
export const JSON_BODY = 16
/** The request body is the file in `body`. */
export const BYTES_BODY = 32
/** The response is a file. */
export const FILE = 64
/** The response is a stream of server-sent events. */
export const EVENT_STREAM = 128
/** The response has no body. */
export const EMPTY = 256

/** The body of an upload. */
export type FileBody = Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array> | string

/** Options of one call. */
export type CallOptions = {
	signal?: AbortSignal
	/**
	 * How long to wait for the response, in milliseconds (default 60,000, and one second more for each 64 kB of a `Blob`
	 * that is sent; about 9 hours for other files). The bodies of files and streams in responses may take longer.
	 */
	timeoutMs?: number
	headers?: Record<string, string>
	/** The key by which the server recognizes retries of a call (default: a new key for each call). */
	idempotencyKey?: string
	/** The number of retries after retryable errors (default 2). Only reads and calls with an idempotency key are retried. */
	retries?: number
}

/** The response to a call, with its data. */
export type WithResponse<Output> = {
	data: Output
	response: Response
	requestId: string | null
	/** The cursor of the next page; null on the last page, and for anything but a list. */
	nextCursor: string | null
}

/** A call that is sent when it is awaited or iterated. */
export type Call<Output, Item = never> = PromiseLike<Output> & {
	/** Sends the call at once, even if nothing awaits the result. */
	send(): Promise<Output>
	withResponse(): Promise<WithResponse<Output>>
} & ([Item] extends [never] ? unknown : AsyncIterable<Item>)
