import { z } from 'zod'
import { buildMailboxPath, readMailboxSecret } from '../lib/mailbox/address.ts'
import { SeedError } from './session.ts'

const Mails = z.object({
	version: z.string(),
	mails: z.array(z.object({ id: z.number(), to: z.string(), text: z.string() })),
})

/** Long enough for a queue that a cron delivers. */
const MAX_WAIT_MS = 90_000

export type InstallationMail = {
	/** Makes `request` and returns what `pattern` matches in the next mail to an address. */
	awaitText(to: string, pattern: RegExp, request: () => Promise<unknown>): Promise<string>
}

/** Opens the mailbox of a local run, whose secret is in DATA_DIR; returns null if there is none. */
export async function openInstallationMail(url: string, dataDir: string): Promise<InstallationMail | null> {
	const secret = await readMailboxSecret(dataDir)
	if (!secret) return null
	const mailbox = new URL(buildMailboxPath(secret), url)
	const read = async () => {
		const response = await fetch(`${mailbox}/json`)
		return response.ok ? Mails.parse(await response.json()) : null
	}
	if (!(await read())) return null
	return {
		async awaitText(to, pattern, request) {
			const before = await read()
			const lastId = Math.max(0, ...(before?.mails ?? []).map(({ id }) => id))
			await request()
			const endsAt = Date.now() + MAX_WAIT_MS
			while (Date.now() < endsAt) {
				const now = await read()
				const mail = now?.mails.find((each) => each.id > lastId && each.to === to && pattern.test(each.text))
				const found = mail && pattern.exec(mail.text)?.[1]
				if (found) return found
				await fetch(`${mailbox}/changes?after=${now?.version ?? ''}`)
			}
			throw new SeedError(`no mail arrived for ${to}; see the log of the installation`)
		},
	}
}
