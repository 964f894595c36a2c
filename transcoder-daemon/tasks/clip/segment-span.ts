import { readBoxes, readTimescale, requireBox } from '../../mp4/boxes.ts'
import { readTracks } from '../../mp4/segments.ts'

/** The time range of segments of one track that follow their init segment. Throws where one is missing. */
export class SegmentSpan {
	#timescale = 1
	#from: number | null = null
	#to = 0

	/** Adds an init segment or a media segment. */
	add(bytes: Buffer): void {
		for (const { type, body } of readBoxes(bytes)) {
			if (type === 'moov') this.#timescale = readTimescale(requireBox(body, ['trak', 'mdia', 'mdhd']))
			if (type === 'moof') this.#addFragment(body)
		}
	}

	get fromSec(): number {
		return (this.#from ?? 0) / this.#timescale
	}

	get toSec(): number {
		return this.#to / this.#timescale
	}

	#addFragment(moof: Buffer): void {
		for (const { baseTime, samples } of readTracks(moof)) {
			if (this.#from !== null && baseTime !== this.#to)
				throw new Error(`a segment begins at ${baseTime}, the one before ends at ${this.#to}`)
			this.#from ??= baseTime
			this.#to = baseTime + samples.reduce((ticks, { duration }) => ticks + duration, 0)
		}
	}
}
