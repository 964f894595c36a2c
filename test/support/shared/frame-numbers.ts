/** Each frame has its number as so many bits at its top, which stay readable after scaling. */
export const STRIP_BITS = 16

/** ffmpeg filters that draw the number of each frame. */
export const strip = [
	'drawbox=x=0:y=0:w=iw:h=ih/8:color=black:t=fill',
	...Array.from(
		{ length: STRIP_BITS },
		(_, bit) =>
			`drawbox=x=iw*${bit}/${STRIP_BITS}:y=0:w=iw/${STRIP_BITS}:h=ih/8:color=white:t=fill:enable='gte(mod(n\\,${2 ** (bit + 1)})\\,${2 ** bit})'`,
	),
]

/** ffmpeg filter that reduces a frame to one gray pixel for each bit. */
export const readStrip = `crop=iw:ih/8:0:0,scale=${STRIP_BITS}:1:flags=area,format=gray`
export const numberIn = (bits: Uint8Array): number =>
	bits.reduce((number, gray, bit) => number + (gray > 127 ? 2 ** bit : 0), 0)
