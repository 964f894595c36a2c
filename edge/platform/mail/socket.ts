import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/**
 * Opens a socket by host name. Nodemailer would connect to the resolved IP address; Workers have no `servername` and
 * check certificates against the connection's name, so every certificate would be rejected after STARTTLS.
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
