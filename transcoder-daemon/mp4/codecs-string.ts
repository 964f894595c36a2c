import { Mp4Error, readBoxes, requireBox } from './boxes.ts'

/** Bytes of a sample entry before its boxes: video and audio. */
const VISUAL_ENTRY_BYTES = 78
const AUDIO_ENTRY_BYTES = 28

/** Returns the `CODECS` value of the track in this `moov` (RFC 6381). */
export function readCodecs(moov: Buffer): string {
	const entry = sampleEntryOf(moov)
	const boxOf = (skipped: number, type: string) => requireBox(entry.body.subarray(skipped), [type])
	switch (entry.type) {
		case 'avc1':
		case 'avc3':
			return `${entry.type}.${boxOf(VISUAL_ENTRY_BYTES, 'avcC').toString('hex', 1, 4)}`
		case 'hvc1':
		case 'hev1':
			return `${entry.type}.${hevcOf(boxOf(VISUAL_ENTRY_BYTES, 'hvcC'))}`
		case 'av01':
			return `av01.${av1Of(boxOf(VISUAL_ENTRY_BYTES, 'av1C'))}`
		case 'mp4a':
			return `mp4a.${mpegAudioOf(boxOf(AUDIO_ENTRY_BYTES, 'esds'))}`
		case 'Opus':
			return 'opus'
		default:
			return entry.type
	}
}

function sampleEntryOf(moov: Buffer) {
	const table = requireBox(moov, ['trak', 'mdia', 'minf', 'stbl', 'stsd'])
	const [entry] = readBoxes(table.subarray(8))
	if (!entry) throw new Mp4Error('the track has no sample entry')
	return entry
}

/** ISO/IEC 14496-15, annex E. */
function hevcOf(config: Buffer): string {
	const first = config.readUInt8(1)
	const space = ['', 'A', 'B', 'C'][first >> 6] ?? ''
	const tier = first & 0x20 ? 'H' : 'L'
	const constraints = [...config.subarray(6, 12)]
	while (constraints.at(-1) === 0) constraints.pop()
	return [
		`${space}${first & 0x1f}`,
		reverseBits(config.readUInt32BE(2)).toString(16),
		`${tier}${config.readUInt8(12)}`,
		...constraints.map((byte) => byte.toString(16)),
	].join('.')
}

function reverseBits(word: number): number {
	let reversed = 0
	for (let bit = 0; bit < 32; bit++) reversed = reversed * 2 + ((word >>> bit) & 1)
	return reversed
}

/** AV1 codec configuration: profile, level, tier, bit depth. */
function av1Of(config: Buffer): string {
	const [profileAndLevel, flags] = [config.readUInt8(1), config.readUInt8(2)]
	const level = String(profileAndLevel & 0x1f).padStart(2, '0')
	const depth = flags & 0x40 ? (flags & 0x20 ? '12' : '10') : '08'
	return `${profileAndLevel >> 5}.${level}${flags & 0x80 ? 'H' : 'M'}.${depth}`
}

const STEREO = 2

/** Whether the track of this init segment is stereo AAC-LC in units of 1,024 samples (ISO/IEC 14496-3, 1.6). */
export function isPlainAac(init: Buffer): boolean {
	const entry = sampleEntryOf(requireBox(init, ['moov']))
	if (entry.type !== 'mp4a') return false
	const { objectType, config } = decoderConfigOf(requireBox(entry.body.subarray(AUDIO_ENTRY_BYTES), ['esds']))
	if (objectType !== MPEG4_AUDIO || config.length < 2) return false
	const bits = config.readUInt16BE(0)
	const [kind, channels, isShort] = [bits >> 11, (bits >> 3) & 0xf, (bits >> 2) & 1]
	return kind === AAC_LC && channels === STEREO && isShort === 0
}

/** Returns the object type and, for AAC, its kind: `40.2` is AAC-LC. */
function mpegAudioOf(esds: Buffer): string {
	const { objectType, config } = decoderConfigOf(esds)
	return objectType === MPEG4_AUDIO ? `40.${config.readUInt8(0) >> 3}` : objectType.toString(16)
}

const MPEG4_AUDIO = 0x40
const AAC_LC = 2

/** Reads the object type and the decoder's configuration (ISO/IEC 14496-1, 7.2.6). */
function decoderConfigOf(esds: Buffer): { objectType: number; config: Buffer } {
	let at = 4
	const enter = (tag: number) => {
		if (esds.readUInt8(at++) !== tag) throw new Mp4Error('the audio descriptors have an unknown order')
		// A length of up to four bytes, seven bits in each.
		while (esds.readUInt8(at++) & 0x80);
	}
	enter(3)
	const flags = esds.readUInt8(at + 2)
	at += 3 + (flags & 0x80 ? 2 : 0)
	enter(4)
	const objectType = esds.readUInt8(at)
	at += 13
	if (objectType === MPEG4_AUDIO) enter(5)
	return { objectType, config: esds.subarray(at) }
}
