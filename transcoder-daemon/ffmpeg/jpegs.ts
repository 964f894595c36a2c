import type { Readable } from 'node:stream'

const START = Buffer.from([0xff, 0xd8, 0xff])
const END = Buffer.from([0xff, 0xd9])

/** Pictures that follow one another in a stream: those two bytes are found nowhere within one of ffmpeg's JPEGs. */
export async function* splitJpegs(stream: Readable, maxBytes: number): AsyncGenerator<Buffer> {
	let held = Buffer.alloc(0)
	let searched = 0
	for await (const chunk of stream) {
		held = Buffer.concat([held, chunk])
		for (let end = held.indexOf(END, searched); end >= 0; end = held.indexOf(END)) {
			const picture = held.subarray(0, end + END.length)
			if (!picture.subarray(0, START.length).equals(START)) throw new Error('a picture that is no JPEG')
			yield picture
			held = held.subarray(picture.length)
		}
		searched = Math.max(0, held.length - 1)
		if (held.length > maxBytes) throw new Error(`a picture of more than ${maxBytes} bytes`)
	}
	if (held.length > 0) throw new Error('the last picture is cut off')
}
