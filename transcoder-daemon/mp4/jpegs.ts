import type { Readable } from 'node:stream'

const START = Buffer.from([0xff, 0xd8, 0xff])
const END = Buffer.from([0xff, 0xd9])

/** Splits a stream of JPEGs at their end marker, which never occurs inside a JPEG of ffmpeg. */
export async function* splitJpegs(stream: Readable, maxBytes: number): AsyncGenerator<Buffer> {
	let buffered = Buffer.alloc(0)
	let searched = 0
	for await (const chunk of stream) {
		buffered = Buffer.concat([buffered, chunk])
		for (let end = buffered.indexOf(END, searched); end >= 0; end = buffered.indexOf(END)) {
			const picture = buffered.subarray(0, end + END.length)
			if (!picture.subarray(0, START.length).equals(START)) throw new Error('a picture is not a JPEG')
			yield picture
			buffered = buffered.subarray(picture.length)
		}
		searched = Math.max(0, buffered.length - 1)
		if (buffered.length > maxBytes) throw new Error(`a picture exceeds ${maxBytes} bytes`)
	}
	if (buffered.length > 0) throw new Error('the last picture is truncated')
}
