import { connect } from 'node:net'

/** Writes to the line as it is, ends it, and gives all that came back. */
export const say = ({ hostname, port }: URL, text: string) =>
	new Promise<string>((resolve) => {
		let answer = ''
		connect(Number(port), hostname)
			.setEncoding('latin1')
			.on('data', (chunk) => {
				answer += chunk
			})
			// What is reset had its answer before, or gets none.
			.on('error', () => {})
			.on('close', () => resolve(answer))
			.end(text, 'latin1')
	})

/** None of them names a host. */
export const brokenHosts = [
	'a b',
	'[',
	']',
	'[::1',
	'%',
	'a:b',
	'a:99999',
	'a@b',
	'a/b',
	'a?b',
	'a#b',
	'a\\b',
	'a..b',
	'1.2.3.999',
	'<a>',
	'a, b',
]
