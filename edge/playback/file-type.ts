type Sign = [at: number, bytes: string]

/** What files hold near their beginning, byte by byte. Of several that fit the first one counts. */
const types: [extension: string, ...Sign[]][] = [
	['mov', [4, 'ftypqt  ']],
	['m4a', [4, 'ftypM4A']],
	['3gp', [4, 'ftyp3g']],
	['mp4', [4, 'ftyp']],
	// QuickTime from before there were brands.
	...['moov', 'mdat', 'wide', 'free', 'skip', 'pnot'].map((box): [string, Sign] => ['mov', [4, box]]),
	// EBML; muxers of WebM write the same short header, with the name of the kind at one of two places.
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
	// Packets of 188 bytes, each with the same first one.
	['ts', [0, 'G'], [188, 'G'], [376, 'G']],
	['aac', [0, '\xff\xf1']],
	['aac', [0, '\xff\xf9']],
	['mp3', [0, 'ID3']],
	['mp3', [0, '\xff\xfb']],
]

const has = (bytes: Uint8Array, [at, sign]: Sign) =>
	[...sign].every((letter, i) => bytes[at + i] === letter.charCodeAt(0))

/** How a video or sound file is called at its end, judged by its first bytes; `bin` for what is unknown. */
export const fileTypeOf = (bytes: Uint8Array): string =>
	types.find(([, ...signs]) => signs.every((sign) => has(bytes, sign)))?.[0] ?? 'bin'
