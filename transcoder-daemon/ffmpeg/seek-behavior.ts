import { open } from 'node:fs/promises'

/**
 * Whether ffmpeg seeks to a keyframe in this file, because it has an index. Otherwise it lands anywhere before the
 * target, and the next keyframe may follow it.
 */
export async function landsOnKeyframes(path: string): Promise<boolean> {
	await using file = await open(path)
	const { buffer } = await file.read(Buffer.alloc(12), 0, 12, 0)
	const [first, second] = [buffer.toString('latin1', 0, 4), buffer.toString('latin1', 4, 8)]
	const isMatroska = buffer.readUInt32BE(0) === 0x1a45dfa3
	return isMatroska || first === 'RIFF' || /^(ftyp|moov|mdat|free|skip|wide|pnot)$/.test(second)
}

/**
 * ffmpeg seeks an eighth of a second early where frames are reordered. If that lies before the first frame, the seek
 * fails and reading continues wherever the search ended: at the end of a short FLV or AVI.
 */
const MIN_SEEK_SEC = 0.25

/** Returns the seek position for an instant: 0, meaning no seek, where a seek would fail. */
export const toSeekableSec = (sec: number): number => (sec < MIN_SEEK_SEC ? 0 : sec)
