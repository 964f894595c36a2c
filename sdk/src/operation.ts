declare const types: unique symbol

/**
 * One operation of the API: its route, its traits, and the names of its query parameters if it also has a body. An array
 * without a function call can be dropped by every bundler.
 */
export type Operation<Input, Output, Item = never> = readonly [
	route: string,
	traits?: number,
	query?: string,
] & { readonly [types]?: { input: Input; output: Output; item: Item } }

export type AnyOperation = Operation<unknown, unknown, unknown>

// What the client has to know of an operation, as bits that npm run sdk writes. Bundlers replace these constants by numbers.
/** It keeps its response for `Idempotency-Key`, so that it can be repeated. */
export const IDEMPOTENT = 1
/** The response is `{ data }`. */
export const WRAPPED = 2
/** A list whose next page is named by a cursor in the headers. */
export const CURSOR_PAGED = 4
/** A list in `records`, with numbered pages. */
export const NUMBER_PAGED = 8
export const JSON_BODY = 16
/** The body is the file in `body`. */
export const BYTES_BODY = 32
/** The response is a file. */
export const FILE = 64
/** The response is a stream of server-sent events. */
export const EVENT_STREAM = 128
/** The response has no body. */
export const EMPTY = 256

/** The body of an upload. */
export type FileBody = Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | string

/** Options of one call. */
export type CallOptions = {
	signal?: AbortSignal
	/** How long to wait for the response, in milliseconds (default 60,000). Files and streams may take longer. */
	timeoutMs?: number
	headers?: Record<string, string>
	/** The key that marks repetitions of a call that creates something. Each call gets its own if there is none. */
	idempotencyKey?: string
	/** How often to repeat a call that failed for a moment (default 2). Calls that can't be repeated never are. */
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

/** A call that is sent once it is awaited or iterated. */
export type Call<Output, Item = never> = PromiseLike<Output> & {
	/** Sends the call without waiting for the result of `await`. */
	send(): Promise<Output>
	withResponse(): Promise<WithResponse<Output>>
} & ([Item] extends [never] ? unknown : AsyncIterable<Item>)
