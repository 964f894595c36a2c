import { findBox, Mp4Error, readBoxes, requireBox } from './boxes.ts'

/**
 * Returns the end offset of the last sample in a table (`moov`, ISO/IEC 14496-12); null for an empty or invalid table.
 */
export function findSamplesEnd(moov: Buffer): number | null {
	try {
		const body = requireBox(moov, ['moov'])
		let end = 0
		for (const box of readBoxes(body))
			if (box.type === 'trak') end = Math.max(end, endOfTrack(requireBox(box.body, ['mdia', 'minf', 'stbl'])))
		return end > 0 ? end : null
	} catch (error) {
		if (error instanceof Mp4Error || error instanceof RangeError) return null
		throw error
	}
}

/** Samples lie in chunks: `stco` has the offset of each chunk, `stsc` its number of samples, `stsz` their sizes. */
function endOfTrack(stbl: Buffer): number {
	const chunkAt = chunkOffsets(stbl)
	const runs = requireBox(stbl, ['stsc'])
	const runCount = runs.readUInt32BE(4)
	const sizes = requireBox(stbl, ['stsz'])
	const commonSize = sizes.readUInt32BE(4)
	const sampleCount = sizes.readUInt32BE(8)
	let end = 0
	let sample = 0
	let run = 0
	for (let chunk = 0; chunk < chunkAt.count && sample < sampleCount; chunk++) {
		while (run + 1 < runCount && runs.readUInt32BE(8 + 12 * (run + 1)) <= chunk + 1) run++
		const inChunk = Math.min(sampleCount - sample, runs.readUInt32BE(8 + 12 * run + 4))
		let bytes = commonSize * inChunk
		if (commonSize === 0) for (let k = 0; k < inChunk; k++) bytes += sizes.readUInt32BE(12 + 4 * (sample + k))
		sample += inChunk
		end = Math.max(end, chunkAt.read(chunk) + bytes)
	}
	if (sample < sampleCount) throw new Mp4Error('the sample table has samples without a chunk')
	return end
}

function chunkOffsets(stbl: Buffer): { count: number; read(chunk: number): number } {
	const short = findBox(stbl, ['stco'])
	if (short) return { count: short.readUInt32BE(4), read: (chunk) => short.readUInt32BE(8 + 4 * chunk) }
	const long = requireBox(stbl, ['co64'])
	return { count: long.readUInt32BE(4), read: (chunk) => Number(long.readBigUInt64BE(8 + 8 * chunk)) }
}
