import { open } from 'node:fs/promises'

/**
 * Whether ffmpeg lands on a keyframe when it seeks in this file, because the container has an index of them. In others
 * it lands anywhere before the instant, and the next keyframe may be behind it.
 */
export async function landsOnKeyframes(path: string): Promise<boolean> {
	await using file = await open(path)
	const { buffer } = await file.read(Buffer.alloc(12), 0, 12, 0)
	const [first, second] = [buffer.toString('latin1', 0, 4), buffer.toString('latin1', 4, 8)]
	const isMatroska = buffer.readUInt32BE(0) === 0x1a45dfa3
	return isMatroska || first === 'RIFF' || /^(ftyp|moov|mdat|free|skip|wide|pnot)$/.test(second)
}
