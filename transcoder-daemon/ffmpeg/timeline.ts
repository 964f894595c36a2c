import type { Packet } from './probe.ts'

/** More frames than half a day of the fastest video has. */
const MAX_FRAMES = 12_000_000

export class TooManyFramesError extends Error {
	override name = 'TooManyFramesError'
}

/** When the frames of a stream are shown, put down as they come by; twelve bytes each. */
export class Timeline {
	#times = new Float64Array(4_096)
	#count = 0
	readonly #keyTimes: number[] = []
	/** Before the first, nothing can stand alone. */
	#lastKeyTime = Number.POSITIVE_INFINITY
	#lastDuration = 0
	#lastTime = Number.NEGATIVE_INFINITY
	bytes = 0
	/** Whether frames are there that are decoded but not shown. */
	isTrimmed = false
	/** Whether every frame says when it is shown. */
	isTimed = true
	/** Whether no frame that is decoded after a key frame is shown before it. */
	isClosed = true

	add({ pts, dts, duration, size, isKey, isDiscarded }: Packet): void {
		this.bytes += size
		if (pts === null) this.isTimed = false
		// AVI knows only the order of decoding; the times are the same ones, dealt out otherwise.
		const time = pts ?? dts
		if (time === null) return
		if (isKey) this.#lastKeyTime = time
		else if (time < this.#lastKeyTime) this.isClosed = false
		if (isDiscarded) {
			this.isTrimmed = true
			return
		}
		if (isKey) this.#keyTimes.push(time)
		if (time >= this.#lastTime) [this.#lastTime, this.#lastDuration] = [time, duration]
		this.#append(time)
	}

	#append(time: number): void {
		if (this.#count === MAX_FRAMES) throw new TooManyFramesError()
		if (this.#count === this.#times.length) {
			const larger = new Float64Array(this.#times.length * 2)
			larger.set(this.#times)
			this.#times = larger
		}
		this.#times[this.#count++] = time
	}

	/** Of the frame that is shown last; 0 where nobody says. */
	get lastDuration(): number {
		return this.#lastDuration
	}

	/** In order of presentation, in ticks. */
	get times(): Float64Array {
		// Sorting what is sorted costs next to nothing.
		return this.#times.subarray(0, this.#count).sort()
	}

	get keyTimes(): readonly number[] {
		return this.#keyTimes
	}
}

/** Where sound begins and ends, in ticks. */
export class Span {
	first = Number.POSITIVE_INFINITY
	end = Number.NEGATIVE_INFINITY
	bytes = 0

	add({ pts, dts, duration, size, isDiscarded }: Packet): void {
		const time = pts ?? dts
		if (time === null || isDiscarded) return
		this.bytes += size
		this.first = Math.min(this.first, time)
		this.end = Math.max(this.end, time + duration)
	}
}

/**
 * Numbers of the frames shown at `keyTimes`, at least `apart` frames from one another. Both lists are in order of
 * time.
 */
export function frameNumbers(keyTimes: readonly number[], times: Float64Array, apart: number): number[] {
	const numbers: number[] = []
	let frame = 0
	for (const time of keyTimes) {
		while (frame < times.length && (times[frame] ?? 0) < time) frame++
		if (frame < times.length && frame >= (numbers.at(-1) ?? -apart) + apart) numbers.push(frame)
	}
	return numbers
}

/** The longest stretch without a key frame, in ticks. */
export function longestGap(keyTimes: readonly number[], first: number, end: number): number {
	let longest = 0
	let last = first
	for (const time of [...keyTimes, end]) {
		longest = Math.max(longest, time - last)
		last = time
	}
	return longest
}
