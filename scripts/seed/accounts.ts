import { sendVerification, verifyEmail } from '#schema/contract/accounts/email-addresses.ts'
import { login, signup } from '#schema/contract/accounts/identity.ts'
import { ApiError } from '#schema/contract/kit/client.ts'
import type { SeededInstallation } from './installation.ts'
import type { Report } from './report.ts'
import { openSession, SeedError, type Session } from './session.ts'

const CODE = /^ {4}(\d{6})$/m

type Person = { email: string; name: string }

/** Signs in or up. Verifies the email address if mails are readable. */
export async function signInPerson(
	installation: SeededInstallation,
	person: Person,
	password: string,
	report: Report,
): Promise<Session> {
	const { url, client, mail } = installation
	const { email, name } = person
	const signedIn = await client.call(login, { body: { email, password } }).catch(nullIfUnauthorized)
	if (!signedIn) return signUpPerson(installation, person, password, report)
	report.found(`account of ${name}`)
	const session = openSession(url, signedIn.data)
	if (mail && !session.user.emailVerified) {
		// An earlier run was interrupted.
		const code = await mail.awaitText(email, CODE, () => session.client.call(sendVerification, {}))
		await session.client.call(verifyEmail, { body: { code } })
	}
	return session
}

async function signUpPerson(
	{ url, client, mail }: SeededInstallation,
	{ email, name }: Person,
	password: string,
	report: Report,
): Promise<Session> {
	const signUp = async () => {
		const { data } = await client
			.call(signup, { body: { email, password, name } })
			.catch(throwSeedError(email))
		report.created(`account of ${name}`)
		return openSession(url, data)
	}
	if (!mail) return signUp()
	let session: Session | undefined
	const code = await mail.awaitText(email, CODE, async () => {
		session = await signUp()
	})
	if (!session) throw new Error('a code was mailed without a sign-up')
	await session.client.call(verifyEmail, { body: { code } })
	return session
}

const throwSeedError = (email: string) => (error: unknown) => {
	if (error instanceof ApiError && error.status === 409)
		throw new SeedError(`${email} has another password there; pass it with --password`)
	if (error instanceof ApiError && error.status === 403)
		throw new SeedError(
			'addresses of example.com may not sign up there; change REGISTRATION_ENABLED or REGISTRATION_ALLOWED_DOMAINS',
		)
	throw error
}

function nullIfUnauthorized(error: unknown): null {
	if (error instanceof ApiError && error.status === 401) return null
	throw error
}
