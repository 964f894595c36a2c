import type { ReadWindow } from './read-window.ts'

const MAX_TAGS = 256
const ENCRYPTED = 0x20
const SOUND = 8
const VIDEO = 9

/** Whether one of the first tags with video or audio has the filter bit, which means encryption. */
export async function isFlvEncrypted(window: ReadWindow, fileBytes: number): Promise<boolean> {
	const header = await window.read(5, 4)
	if (header.length < 4) return false
	let at = header.readUInt32BE(0) + 4
	for (let tags = 0; tags < MAX_TAGS && at < fileBytes; tags++) {
		const head = await window.read(at, 11)
		if (head.length < 11) return false
		const type = head.readUInt8(0)
		if ((type & ENCRYPTED) !== 0 && [SOUND, VIDEO].includes(type & 0x1f)) return true
		at += 11 + head.readUIntBE(1, 3) + 4
	}
	return false
}
