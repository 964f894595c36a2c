export type Attributes = ReadonlyMap<string, string>
export type Complain = (message: string) => void

/** Formats of attribute values in RFC 8216; other attributes are not checked. */
const formats: Record<string, RegExp> = {
	BANDWIDTH: /^\d{1,20}$/,
	'AVERAGE-BANDWIDTH': /^\d{1,20}$/,
	RESOLUTION: /^[1-9]\d{0,9}x[1-9]\d{0,9}$/,
	'FRAME-RATE': /^\d+(\.\d+)?$/,
	'VIDEO-RANGE': /^(SDR|HLG|PQ)$/,
	TYPE: /^(AUDIO|VIDEO|SUBTITLES|CLOSED-CAPTIONS)$/,
	DEFAULT: /^(YES|NO)$/,
	AUTOSELECT: /^(YES|NO)$/,
	FORCED: /^(YES|NO)$/,
	...Object.fromEntries(
		[
			'URI',
			'CODECS',
			'AUDIO',
			'SUBTITLES',
			'GROUP-ID',
			'NAME',
			'LANGUAGE',
			'CHANNELS',
			'CHARACTERISTICS',
			'BYTERANGE',
		].map((name) => [name, /^".*"$/]),
	),
}

/** Parses an attribute list; values are returned without quotes. */
export function parseAttributes(text: string, complain: Complain): Attributes {
	const found = new Map<string, string>()
	let rest = text
	while (rest !== '') {
		const match = /^([A-Z0-9-]+)=("[^"\r\n]*"|[^",\s]+)(,|$)/.exec(rest)
		if (!match) {
			complain(`not an attribute list: ${rest.slice(0, 60)}`)
			return found
		}
		const [all, name = '', value = '', comma] = match
		if (found.has(name)) complain(`${name} appears twice`)
		const format = formats[name]
		// CLOSED-CAPTIONS may be a quoted string or NONE, so it has no format above.
		if (format && !format.test(value)) complain(`${name} has the invalid value ${value}`)
		found.set(name, value.replace(/^"(.*)"$/, '$1'))
		rest = rest.slice(all.length)
		if (comma === ',' && rest === '') complain('the attribute list ends with a comma')
	}
	return found
}
