import type { UploadedPart } from '../../platform/storage/bucket.ts'

/** Lets one part upload while the next buffer is being filled. */
export class PartPipeline {
	readonly #onPart: (part: UploadedPart) => void
	readonly #buffers: Uint8Array[] = []
	#turn = 0
	#pending: Promise<UploadedPart> | undefined

	/** `onPart` is called for each part that is stored, in order. */
	constructor(onPart: (part: UploadedPart) => void) {
		this.#onPart = onPart
	}

	/**
	 * Returns the buffer that is not being uploaded, for a part of `bytes`. All parts but the last have the same size, so a
	 * buffer of an earlier part is large enough. A short body gets a small buffer, which saves memory.
	 */
	nextBuffer(bytes: number): Uint8Array {
		const index = this.#turn++ % 2
		this.#buffers[index] ??= new Uint8Array(bytes)
		return this.#buffers[index]
	}

	/** Registers the upload of the buffer last returned. Call `settle` before the next one. */
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
