export const ascii = (text: string) => [...Buffer.from(text, 'ascii')]
const zeros = (count: number) => Array.from({ length: count }, () => 0)

/** Returns the parts of an initialization segment that describe its audio track: number 7 with 48 kHz. */
export const makeInit = (kind: number, channels: number) =>
	Uint8Array.from([
		...[...ascii('tkhd'), ...zeros(12), 0, 0, 0, 7],
		...[...ascii('mdhd'), ...zeros(12), 0, 0, 0xbb, 0x80],
		...[...ascii('mp4a'), ...zeros(16), 0, channels, ...zeros(10)],
		...[...ascii('esds'), ...zeros(4), 3, 0x80, 0x80, 0x80, 0x25, 0, 0, 0],
		...[4, 0x80, 0x80, 0x80, 0x17, 0x40, 0x15, ...zeros(11)],
		...[5, 0x80, 0x80, 0x80, 2, kind << 3, 0x88],
	])
