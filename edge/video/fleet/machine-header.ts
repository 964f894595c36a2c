/** Carries the authenticated machine id from the Worker to the fleet object. */
export const MACHINE_HEADER = 'x-machine-id'
