export type Attributes = ReadonlyMap<string, string>
export type Complain = (message: string) => void

/** What RFC 8216 says each attribute's value looks like. Others are taken in any form. */
const forms: Record<string, RegExp> = {
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

/** Values come without their quotes. */
export function parseAttributes(text: string, complain: Complain): Attributes {
	const found = new Map<string, string>()
	let rest = text
	while (rest !== '') {
		const match = /^([A-Z0-9-]+)=("[^"\r\n]*"|[^",\s]+)(,|$)/.exec(rest)
		if (!match) {
			complain(`no attribute list: ${rest.slice(0, 60)}`)
			return found
		}
		const [all, name = '', value = '', comma] = match
		if (found.has(name)) complain(`${name} stands there twice`)
		const form = forms[name]
		// CLOSED-CAPTIONS=NONE is the only one that may be either.
		if (form && !form.test(value)) complain(`${name} has the value ${value}, which is not of its form`)
		found.set(name, value.replace(/^"(.*)"$/, '$1'))
		rest = rest.slice(all.length)
		if (comma === ',' && rest === '') complain('the attribute list ends with a comma')
	}
	return found
}
