import { join } from 'node:path'
import type { Mail } from '../../../../edge/platform/mail/mail.ts'
import { type StartOptions, startWorker } from '../../../support/shared/miniflare-worker.ts'
import type { MailRequest, Outcome } from './mail-worker.node.ts'

export const greeting: Mail = {
	to: 'ann@example.org',
	subject: 'Hello',
	text: 'Hello, Ann.\n',
	html: '<p>Hello, Ann.</p>',
	idempotencyKey: 'msg_1',
}

/** Starts a Worker in workerd that sends the mails it is given. */
export async function startSending(options: StartOptions = {}) {
	const worker = await startWorker({ ...options, entry: join(import.meta.dirname, 'mail-worker.node.ts') })
	return {
		worker,
		async send(vars: Record<string, string>, mail: Partial<Mail> = {}, timeoutMs?: number): Promise<Outcome> {
			const mailRequest: MailRequest = {
				mail: { ...greeting, ...mail },
				vars,
				...(timeoutMs && { timeoutMs }),
			}
			const response = await fetch(worker.url, { method: 'POST', body: JSON.stringify(mailRequest) })
			if (!response.ok) throw new Error(await response.text())
			return (await response.json()) as Outcome
		},
	}
}
