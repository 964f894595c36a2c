import { z } from 'zod'

/** Limits memory: a program may send thousands of mails, and only recent ones matter. */
const MAX_MAILS = 100
const MAX_BYTES = 8 * 1024 * 1024

const Sent = z.object({
	messageId: z.string(),
	from: z.string(),
	to: z.string(),
	subject: z.string(),
	text: z.string(),
	html: z.string(),
})
type Sent = z.infer<typeof Sent>
export type StoredMail = Sent & { id: number; at: Date }

/** The latest mails of a local run, which are kept in memory instead of being sent. */
export type Mailbox = {
	/** Stores a mail; ignores a duplicate, because the queue may deliver twice. */
	put(mail: unknown): void
	/** Returns all mails, newest first. */
	list(): readonly StoredMail[]
	find(id: number): StoredMail | undefined
}

export function openMailbox(onMail: () => void = () => {}, now = () => new Date()): Mailbox {
	let mails: StoredMail[] = []
	let lastId = 0
	return {
		put(body) {
			const mail = Sent.parse(body)
			if (mails.some(({ messageId }) => messageId === mail.messageId)) return
			mails = withinLimits([{ ...mail, id: ++lastId, at: now() }, ...mails])
			onMail()
		},
		list: () => mails,
		find: (id) => mails.find((mail) => mail.id === id),
	}
}

function withinLimits(mails: StoredMail[]): StoredMail[] {
	let bytes = 0
	return mails.slice(0, MAX_MAILS).filter(({ subject, text, html }) => {
		// JavaScript strings take up to two bytes per character.
		bytes += 2 * (subject.length + text.length + html.length)
		return bytes <= MAX_BYTES
	})
}
