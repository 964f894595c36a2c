import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/**
 * Left to itself nodemailer looks the name up and connects to the address it found. Workers check a certificate
 * against the name that was connected to (they know no `servername`), so a socket that STARTTLS will turn into a
 * TLS one has to be opened by name, or every certificate is the wrong one.
 */
export function openSmtpSocket(
	{ host, port, secure }: { host: string; port: number; secure: boolean },
	signal: AbortSignal,
): Promise<Socket> {
	return new Promise((resolve, reject) => {
		const socket = secure ? connectTls({ host, port }) : connectPlain({ host, port })
		const giveUp = () => {
			socket.destroy()
			reject(signal.reason)
		}
		const settle = () => {
			signal.removeEventListener('abort', giveUp)
			socket.off('error', fail)
		}
		const fail = (error: Error) => {
			settle()
			socket.destroy()
			reject(error)
		}
		signal.addEventListener('abort', giveUp, { once: true })
		socket.once('error', fail)
		socket.once(secure ? 'secureConnect' : 'connect', () => {
			settle()
			resolve(socket)
		})
	})
}
