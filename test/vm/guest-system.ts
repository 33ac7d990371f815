import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'

/** Starts udev as a real box has it: device nodes get their groups, ports their names under /dev/serial/by-id. */
export function startUdev(): void {
  mkdirSync('/run/udev', { recursive: true })
  execFileSync('/lib/systemd/systemd-udevd', ['--daemon'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  reloadUdev()
}

/** Has udev read its rules again and look at all USB devices again. */
export function reloadUdev(): void {
  udevadm('control', '--reload')
  udevadm('trigger', '--subsystem-match=usb', '--subsystem-match=tty')
  udevadm('settle', '--timeout=300')
}

/** The guest's tree is a chroot, in which udevadm ignores what it is told unless this variable says otherwise. */
const IN_CHROOT = { ...process.env, SYSTEMD_IGNORE_CHROOT: '1' }

function udevadm(...args: string[]): void {
  const { status, stderr } = spawnSync('udevadm', args, { encoding: 'utf8', env: IN_CHROOT })
  if (status !== 0) throw new Error(`udevadm ${args.join(' ')}: ${stderr}`)
}
