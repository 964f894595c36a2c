import { login } from '#schema/contract/accounts/identity.ts'
import {
	beginTotp,
	confirmTotp,
	verifySecondFactor,
} from '#schema/contract/accounts/sign-in/second-factor.ts'
import { computeStep, computeTotpCode } from '../../../../../edge/accounts/identity/second-factor/totp.ts'
import type { Person, Who, World } from '../../../../support/edge/world.ts'
import { fromBase32 } from '../../../../support/shared/formats/from-base32.ts'

const STEP_MS = 30_000

export type App = {
	/** Returns the code that the app shows now. */
	code(): Promise<string>
	/** Waits until the app shows another code, and returns it. */
	nextCode(): Promise<string>
}

export function openApp(world: World, secret: string): App {
	const bytes = fromBase32(secret)
	const code = () => computeTotpCode(bytes, computeStep(world.now))
	return {
		code,
		nextCode() {
			world.pass(STEP_MS)
			return code()
		},
	}
}

/** Sets up an authenticator app; the session must have a recent proof. */
export async function setUpApp(world: World, who: { token: string }) {
	const { secret } = (await world.ask(beginTotp, {}, who)).ok.data
	const app = openApp(world, secret)
	const { recoveryCodes } = (await world.ask(confirmTotp, { body: { code: await app.code() } }, who)).ok.data
	return { app, recoveryCodes }
}

/** Does the first step of a sign-in, and returns its ticket. */
export async function requestTicket(
	world: World,
	{ email, password }: Pick<Person, 'email' | 'password'>,
	from: Who = {},
) {
	const answer = await world.ask(login, { body: { email, password } }, from)
	const ticket = answer.headers.get('x-second-factor-ticket')
	if (!ticket) throw new Error(`the sign-in returned no ticket, but ${answer.status}`)
	return ticket
}

export const completeWith = (
	world: World,
	body: { ticket: string } & ({ totp: string } | { recoveryCode: string }),
	from: Who = {},
) => world.ask(verifySecondFactor, { body }, from)

/** Signs in with password and app, with a code that was not used before. */
export async function signInWithApp(world: World, who: Person, app: App): Promise<string> {
	const ticket = await requestTicket(world, who)
	return (await completeWith(world, { ticket, totp: await app.nextCode() })).ok.data.token
}
