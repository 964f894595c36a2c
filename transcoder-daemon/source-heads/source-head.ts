import { open } from 'node:fs/promises'
import { ASF_HEADER, isAsfEncrypted } from './asf-head.ts'
import { EBML } from './ebml.ts'
import type { SourceHead } from './head-findings.ts'
import { readMatroskaHead } from './matroska-head.ts'
import { readMp4Head } from './mp4-head.ts'
import { findScrambledTracks, isTransportScrambled } from './mpeg-scrambling.ts'
import { fileReader, type ReadBytes, ReadWindow } from './read-window.ts'

const MAX_TAGS = 256
const ENCRYPTED = 0x20
const SOUND = 8
const VIDEO = 9

/** Whether one of the first video or audio tags has the filter bit, which means encryption. */
async function isFlvEncrypted(window: ReadWindow, fileBytes: number): Promise<boolean> {
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

const CLEAR: SourceHead = {
	encryption: null,
	hasInvalidClock: false,
	codecIds: { video: [], audio: [] },
	scrambling: new Map(),
}

export async function openSourceHead(path: string): Promise<SourceHead> {
	await using file = await open(path)
	const { size } = await file.stat()
	return await readSourceHead(fileReader(file), size)
}

/** Reads a bounded number of bytes, whatever the file claims. */
export async function readSourceHead(readBytes: ReadBytes, fileBytes: number): Promise<SourceHead> {
	const window = new ReadWindow(readBytes)
	const head = await window.read(0, 16)
	if (head.length < 16) return CLEAR
	if (head.readUInt32BE(0) === EBML) return { ...CLEAR, ...(await readMatroskaHead(window, fileBytes)) }
	if (head.equals(ASF_HEADER))
		return { ...CLEAR, encryption: (await isAsfEncrypted(window)) ? 'Windows Media DRM' : null }
	if (head.toString('latin1', 0, 3) === 'FLV')
		return { ...CLEAR, encryption: (await isFlvEncrypted(window, fileBytes)) ? '' : null }
	if (head.readUInt32BE(0) === PACK_START)
		return { ...CLEAR, scrambling: await findScrambledTracks(readBytes, fileBytes) }
	const transport = await isTransportScrambled(readBytes, fileBytes)
	if (transport) return { ...CLEAR, scrambling: transport }
	return { ...CLEAR, ...(await readMp4Head(window, fileBytes)) }
}

const PACK_START = 0x000001ba
