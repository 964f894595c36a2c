import type { Packet } from './probe.ts'

/** More frames than half a day at the highest rate. */
const MAX_FRAMES = 12_000_000

export class TooManyFramesError extends Error {
	override name = 'TooManyFramesError'
}

/** Collects the presentation times of a stream's frames, at twelve bytes each. */
export class Timeline {
	#times = new Float64Array(4_096)
	#count = 0
	readonly #keyTimes: number[] = []
	#hasPresentationTimes = false
	#packets = 0
	#lastDts: number | null = null
	#sameDts = 0
	/** No frame before the first key frame can be decoded. */
	#lastKeyTime = Number.POSITIVE_INFINITY
	#lastDuration = 0
	#lastTime = Number.NEGATIVE_INFINITY
	bytes = 0
	/** Whether some frames are decoded but not shown. */
	isTrimmed = false
	/** Whether every frame has a presentation time. */
	isTimed = true
	/** Whether no frame that follows a key frame in decoding order is shown before it. */
	isClosed = true

	add({ pts, dts, duration, size, isKey, isDiscarded }: Packet): void {
		this.bytes += size
		this.#packets++
		if (dts !== null && dts === this.#lastDts) this.#sameDts++
		this.#lastDts = dts
		if (pts === null) this.isTimed = false
		else this.#hasPresentationTimes = true
		// AVI has decode times only: the same set of times in another order.
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

	/** Whether any frame has a presentation time. Without one, decoders pass on decode times. */
	get hasPresentationTimes(): boolean {
		return this.#hasPresentationTimes
	}

	/** Whether most frames have the decode time of the previous one. The two fields of a frame may share one. */
	get standsStill(): boolean {
		return this.#sameDts > this.#packets * 0.75
	}

	/** Number of shown frames. */
	get frameCount(): number {
		return this.#count
	}

	/** Duration of the last shown frame; 0 if unknown. */
	get lastDuration(): number {
		return this.#lastDuration
	}

	/** Presentation times in order, in ticks. */
	get times(): Float64Array {
		// Sorting a sorted array costs next to nothing.
		return this.#times.subarray(0, this.#count).sort()
	}

	get keyTimes(): readonly number[] {
		return this.#keyTimes
	}
}

/** Start and end of an audio track, in ticks. */
export class Span {
	first = Number.POSITIVE_INFINITY
	end = Number.NEGATIVE_INFINITY
	bytes = 0
	/** Packets inside and outside the edit list. */
	packets = 0
	#firstPacket = Number.POSITIVE_INFINITY
	#lastPacket = Number.NEGATIVE_INFINITY

	/** Ticks from the first to the last packet, inside and outside the edit list. */
	get reach(): number {
		return this.#lastPacket - this.#firstPacket
	}

	add({ pts, dts, duration, size, isDiscarded }: Packet): void {
		const time = pts ?? dts
		if (time === null) return
		this.packets++
		this.#firstPacket = Math.min(this.#firstPacket, time)
		this.#lastPacket = Math.max(this.#lastPacket, time)
		if (isDiscarded) return
		this.bytes += size
		this.first = Math.min(this.first, time)
		this.end = Math.max(this.end, time + duration)
	}
}

/**
 * Returns the numbers of the frames shown at `keyTimes`, at least `minGap` frames from each other. Both lists are sorted
 * by time.
 */
export function computeFrameNumbers(
	keyTimes: readonly number[],
	times: Float64Array,
	minGap: number,
): number[] {
	const numbers: number[] = []
	let frame = 0
	for (const time of keyTimes) {
		while (frame < times.length && (times[frame] ?? 0) < time) frame++
		if (frame < times.length && frame >= (numbers.at(-1) ?? -minGap) + minGap) numbers.push(frame)
	}
	return numbers
}

/** Returns the longest interval without a key frame, in ticks. */
export function findLongestGap(keyTimes: readonly number[], first: number, end: number): number {
	let longest = 0
	let last = first
	for (const time of [...keyTimes, end]) {
		longest = Math.max(longest, time - last)
		last = time
	}
	return longest
}
