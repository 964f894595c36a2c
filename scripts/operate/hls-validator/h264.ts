import { Bits, removeEmulation } from './bits.ts'

export type SequenceParameters = {
	profile: number
	level: number
	isInterlaced: boolean
	/** `primaries/transfer/matrix`, or null if not specified. */
	color: string | null
}

const withChromaFormat = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

/** Reads a sequence parameter set of H.264 (7.3.2.1.1), as far as the rules need it. */
export function readSequenceParameters(unit: Uint8Array): SequenceParameters {
	const bits = new Bits(removeEmulation(unit.subarray(1)))
	const profile = bits.read(8)
	bits.read(8)
	const level = bits.read(8)
	bits.golomb()
	if (withChromaFormat.includes(profile)) skipChroma(bits)
	bits.golomb()
	skipOrder(bits)
	bits.golomb()
	bits.read(1)
	bits.golomb()
	bits.golomb()
	const isInterlaced = !bits.flag()
	if (isInterlaced) bits.read(1)
	bits.read(1)
	if (bits.flag()) for (let side = 0; side < 4; side++) bits.golomb()
	return { profile, level, isInterlaced, color: bits.flag() ? readColor(bits) : null }
}

function skipChroma(bits: Bits): void {
	const chroma = bits.golomb()
	if (chroma === 3) bits.read(1)
	bits.golomb()
	bits.golomb()
	bits.read(1)
	if (!bits.flag()) return
	for (let list = 0; list < (chroma === 3 ? 12 : 8); list++)
		if (bits.flag()) skipScaling(bits, list < 6 ? 16 : 64)
}

function skipScaling(bits: Bits, size: number): void {
	let [last, next] = [8, 8]
	for (let i = 0; i < size; i++) {
		if (next !== 0) next = (last + bits.signedGolomb() + 256) % 256
		last = next === 0 ? last : next
	}
}

function skipOrder(bits: Bits): void {
	const type = bits.golomb()
	if (type === 0) bits.golomb()
	if (type !== 1) return
	bits.read(1)
	bits.signedGolomb()
	bits.signedGolomb()
	// The standard's maximum; a corrupt file could have any value.
	const count = Math.min(255, bits.golomb())
	for (let i = 0; i < count; i++) bits.signedGolomb()
}

const EXTENDED_ASPECT = 255

function readColor(bits: Bits): string | null {
	if (bits.flag() && bits.read(8) === EXTENDED_ASPECT) bits.read(32)
	if (bits.flag()) bits.read(1)
	if (!bits.flag()) return null
	bits.read(4)
	return bits.flag() ? [bits.read(8), bits.read(8), bits.read(8)].join('/') : null
}

/** Returns the lowest level that allows this size, frame rate and bit rate (High profile). */
export function computeNeededLevel(
	width: number,
	height: number,
	fps: number,
	bitsPerSecond: number,
): number {
	const blocks = Math.ceil(width / 16) * Math.ceil(height / 16)
	const fits = levels.find(
		([, frame, perSecond, kbps]) =>
			blocks <= frame && blocks * fps <= perSecond && bitsPerSecond <= kbps * 1_250,
	)
	return fits?.[0] ?? 62
}

/** Table A-1: level, blocks in a frame, blocks in a second, kb/s. */
const levels: [level: number, frame: number, perSecond: number, kbps: number][] = [
	[10, 99, 1_485, 64],
	[11, 396, 3_000, 192],
	[12, 396, 6_000, 384],
	[13, 396, 11_880, 768],
	[20, 396, 11_880, 2_000],
	[21, 792, 19_800, 4_000],
	[22, 1_620, 20_250, 4_000],
	[30, 1_620, 40_500, 10_000],
	[31, 3_600, 108_000, 14_000],
	[32, 5_120, 216_000, 20_000],
	[40, 8_192, 245_760, 20_000],
	[41, 8_192, 245_760, 50_000],
	[42, 8_704, 522_240, 50_000],
	[50, 22_080, 589_824, 135_000],
	[51, 36_864, 983_040, 240_000],
	[52, 36_864, 2_073_600, 240_000],
]
