import { currentProfile, readProfile, removeProfile } from '../../files/profiles.ts'
import { NOT_SIGNED_IN } from '../../frame/exit-codes.ts'
import { CommandFailure } from '../../frame/failure.ts'
import type { Invocation } from '../../frame/invocation.ts'

export async function run({ options, terminal }: Invocation): Promise<void> {
	const name = options.profile ?? (await currentProfile(terminal.env))
	const profile = name === undefined ? undefined : await readProfile(terminal.env, name)
	if (name === undefined || !profile)
		throw new CommandFailure('no profile is signed in; see: playhouse profiles ls', NOT_SIGNED_IN)
	await removeProfile(terminal.env, name)
	// Keys can't delete keys, so that a leaked one can't lock its owners out.
	if (options.json) terminal.printJson({ profile: name, url: profile.url, removed: true })
	else
		terminal.talk(
			`Removed the key of ${profile.url} from this computer. The key works until an owner or admin deletes it.`,
		)
}
