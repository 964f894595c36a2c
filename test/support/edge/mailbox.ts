import type { MessageByType } from '#schema/contract/messages.ts'
import { requestAccountDeletion } from '#schema/contract/operations/account-deletion.ts'
import { deriveCancellationToken } from '../../../edge/operations/account-deletion/request/token.ts'
import { deletionStore } from '../../../edge/operations/account-deletion/store.ts'
import type { Person, World } from './world.ts'

/** The token in the mail of the newest invitation. */
export async function invitationTokenIn(world: World): Promise<string> {
	await world.deliver(world.messages.splice(0).filter((message) => message.type === 'event.happened'))
	const mails = world.messages.filter((message) => message.type === 'mail.send')
	const token = mails.map(({ text }) => /token=([\w.%-]+)/.exec(text)?.[1]).findLast(Boolean)
	if (!token) throw new Error('no invitation mail was sent')
	return decodeURIComponent(token)
}

/** The last code that was sent to an email address. */
export function codeSentTo(world: World, email: string): string {
	const sent = world.messages.findLast(
		(message): message is MessageByType<'code.send'> =>
			message.type === 'code.send' && message.email === email,
	)
	if (!sent) throw new Error(`no code was sent to ${email}`)
	return sent.code
}

/**
 * The last code that was sent to an email address. If it equals another code, which proves nothing about either, sends
 * again after a minute.
 */
export async function codeUnlike(
	world: World,
	another: string,
	email: string,
	sendAgain: () => Promise<unknown>,
): Promise<string> {
	while (codeSentTo(world, email) === another) {
		world.pass(60_000)
		await sendAgain()
	}
	return codeSentTo(world, email)
}

/** Requests a deletion and returns its cancellation token. The mail itself is sent directly, so no message has it. */
export async function cancellationTokenIn(world: World, who: Person): Promise<string> {
	const { id } = (await world.ask(requestAccountDeletion, { body: { confirm_email: who.email } }, who)).ok
	return world.perform(async (d) => {
		const request = await deletionStore(d.db).find(id)
		if (!request) throw new Error('the request does not exist')
		return deriveCancellationToken(d, request)
	})
}
