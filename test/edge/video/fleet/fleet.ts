import { type MachineCapabilities, registerMachine } from '#schema/contract/video/fleet.ts'
import type { Asked } from '../../../support/edge/asked.ts'
import type { World } from '../../../support/edge/world.ts'
import { testVariables } from '../../../support/shared/variables.ts'

export const fleetToken = testVariables.FLEET_TOKEN

export const capabilities: MachineCapabilities = {
	kind: 'cpu',
	cores: 8,
	memoryBytes: 16 * 1024 ** 3,
	ffmpegVersion: '5.1.9',
	encoders: ['libx264'],
	slots: 2,
}

type MachineOverrides = {
	fingerprint?: string
	name?: string
	token?: string
	encoders?: string[]
	speech?: MachineCapabilities['speech']
	startHook?: string
}

export const register = (
	world: World,
	{ fingerprint = crypto.randomUUID(), name = 'north', token = fleetToken, ...more }: MachineOverrides = {},
): Promise<Asked<typeof registerMachine>> =>
	world.ask(
		registerMachine,
		{ body: { fingerprint, name, protocol: 1, ...capabilities, ...more } },
		{ token },
	)

/** Registers a machine and returns its id and token. */
export async function machine(world: World, overrides: MachineOverrides = {}) {
	return (await register(world, overrides)).ok.data
}
