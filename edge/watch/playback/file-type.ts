type Signature = [at: number, bytes: string]

/** Magic numbers near the beginning of files. The first match wins. */
const types: [extension: string, ...Signature[]][] = [
	['mov', [4, 'ftypqt  ']],
	['m4a', [4, 'ftypM4A']],
	['3gp', [4, 'ftyp3g']],
	['mp4', [4, 'ftyp']],
	// Old QuickTime files without a brand.
	...['moov', 'mdat', 'wide', 'free', 'skip', 'pnot'].map((box): [string, Signature] => ['mov', [4, box]]),
	// EBML; WebM muxers write the same short header, with the doctype at one of two offsets.
	['webm', [0, '\x1a\x45\xdf\xa3'], [24, 'webm']],
	['webm', [0, '\x1a\x45\xdf\xa3'], [31, 'webm']],
	['mkv', [0, '\x1a\x45\xdf\xa3']],
	['avi', [0, 'RIFF'], [8, 'AVI ']],
	['wav', [0, 'RIFF'], [8, 'WAVE']],
	['ogg', [0, 'OggS']],
	['flac', [0, 'fLaC']],
	['flv', [0, 'FLV']],
	['wmv', [0, '\x30\x26\xb2\x75']],
	['mxf', [0, '\x06\x0e\x2b\x34']],
	['mpg', [0, '\x00\x00\x01\xba']],
	// Packets of 188 bytes, each starting with the same byte.
	['ts', [0, 'G'], [188, 'G'], [376, 'G']],
	['aac', [0, '\xff\xf1']],
	['aac', [0, '\xff\xf9']],
	['mp3', [0, 'ID3']],
	['mp3', [0, '\xff\xfb']],
]

const hasSignature = (bytes: Uint8Array, [at, signature]: Signature) =>
	[...signature].every((letter, i) => bytes[at + i] === letter.charCodeAt(0))

/** Returns the extension for the first bytes of a video or audio file, or `bin` if the format is unknown. */
export const detectFileType = (bytes: Uint8Array): string =>
	types.find(([, ...signatures]) => signatures.every((signature) => hasSignature(bytes, signature)))?.[0] ??
	'bin'
