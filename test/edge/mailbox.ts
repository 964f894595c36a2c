import type { MessageOf } from '#schema/contract/messages.ts'
import type { World } from './world.ts'

/** The token in the mail that follows from the newest invitation. */
export async function invitationTokenIn(world: World): Promise<string> {
	await world.deliver(world.messages.splice(0).filter((message) => message.type === 'event.happened'))
	const mail = world.messages.findLast((message) => message.type === 'mail.send')
	const token = /token=([\w-]+)/.exec(mail?.text ?? '')?.[1]
	if (!token) throw new Error('no invitation mail was sent')
	return token
}

/** The code that was last sent to an address. */
export function codeSentTo(world: World, email: string): string {
	const sent = world.messages.findLast(
		(message): message is MessageOf<'code.send'> => message.type === 'code.send' && message.email === email,
	)
	if (!sent) throw new Error(`no code was sent to ${email}`)
	return sent.code
}
