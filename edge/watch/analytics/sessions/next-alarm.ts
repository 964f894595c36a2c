import { systemClock } from '../../../platform/clock.ts'

/** The alarm of an object. Each one that is set costs a row, so an earlier one is kept. */
export class NextAlarm {
	readonly #storage: DurableObjectStorage
	/** Null if it is not known. */
	#at: number | null = null

	constructor(storage: DurableObjectStorage) {
		this.#storage = storage
	}

	/** Makes sure that the object wakes within some milliseconds. */
	async within(ms: number): Promise<void> {
		const at = systemClock() + ms
		this.#at ??= await this.#storage.getAlarm()
		if (this.#at !== null && this.#at <= at) return
		this.#at = at
		await this.#storage.setAlarm(at)
	}

	/** The alarm has fired or was deleted. */
	reset(): void {
		this.#at = null
	}
}
