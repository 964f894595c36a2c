import type { UploadedPart } from '../platform/storage/bucket.ts'

/** Uploads one part of a multipart upload while the caller fills the buffer of the next one. */
export class PartWriter {
	readonly #onPart: (part: UploadedPart) => void
	readonly #buffers: Uint8Array[] = []
	#turn = 0
	#pending: Promise<UploadedPart> | undefined

	/** `onPart` is called for each part that is stored, in order. */
	constructor(onPart: (part: UploadedPart) => void) {
		this.#onPart = onPart
	}

	/** Returns the buffer that is not being uploaded. Only the last part may be smaller than the ones before. */
	nextBuffer(bytes: number): Uint8Array {
		const index = this.#turn++ % 2
		this.#buffers[index] ??= new Uint8Array(bytes)
		return this.#buffers[index]
	}

	/** Takes the upload of the last buffer. Call `settle` before the next one. */
	start(upload: Promise<UploadedPart>): void {
		this.#pending = upload
		// `settle` throws a failure; until then it must not count as unhandled.
		upload.catch(() => undefined)
	}

	/** Waits for the upload in progress, if there is one. */
	async settle(): Promise<void> {
		const pending = this.#pending
		this.#pending = undefined
		if (pending) this.#onPart(await pending)
	}
}
