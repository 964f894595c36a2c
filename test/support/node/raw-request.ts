import { connect } from 'node:net'

/** Sends text unchanged over TCP, closes the connection and returns the whole response. */
export const sendRaw = ({ hostname, port }: URL, text: string) =>
	new Promise<string>((resolve) => {
		let response = ''
		connect(Number(port), hostname)
			.setEncoding('latin1')
			.on('data', (chunk) => {
				response += chunk
			})
			// After a reset, the response so far is returned.
			.on('error', () => {})
			.on('close', () => resolve(response))
			.end(text, 'latin1')
	})

/** Invalid values of the Host header. */
export const invalidHosts = [
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
