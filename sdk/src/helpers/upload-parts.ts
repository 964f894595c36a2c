/** Bytes that one request sends. */
export type UploadBody = Blob | FilePart

/** A part of a file. */
export type FilePart = {
	size: number
	/** Reads bytes from a position of the part into the buffer, and returns how many. */
	read(buffer: Uint8Array, position: number): Promise<number>
	stream(): ReadableStream<Uint8Array>
	/** Sends the part without `fetch`, in little memory. */
	send(url: string, init: BodylessRequest, watch: BodyWatch): Promise<Response>
}

export type BodylessRequest = { method: string; headers: Record<string, string>; signal: AbortSignal }

/** What happens while a body is sent. `failure` is why the source can't be read; a retry would not help. */
export type BodyWatch = { onSent?: (bytes: number) => void; failure?: unknown }

/** A source that is being uploaded. */
export type OpenSource = {
	size: number
	/** Whether the same bytes can be read again, so that one request can send the whole source. */
	canRepeat: boolean
	/** The size of a chunk, unless the caller chooses one. */
	chunkBytes: number
	/** Returns the bytes from `start` to `end`, or fewer. A stream keeps only the last bytes that it returned. */
	read(start: number, end: number): Promise<UploadBody>
	close(): Promise<void>
}
