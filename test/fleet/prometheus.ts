import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { findClosedPort } from '../listen.ts'
import { ask } from './fleet.ts'

const PROMETHEUS = '/usr/bin/prometheus'
const RULES = join(import.meta.dirname, '../../docs/fleet/platen.rules.yml')
/** The reason to skip, or false. */
export const noPrometheus = existsSync(PROMETHEUS)
  ? false
  : 'prometheus is not installed (Debian package prometheus)'

/** A value of an answer, with its labels. */
export interface Sample {
  readonly metric: Readonly<Record<string, string>>
  readonly value: number
}

/** A real Prometheus that reads these addresses by the rules that we ship. */
export class Prometheus {
  readonly #address: string
  readonly #child: ChildProcess

  private constructor(address: string, child: ChildProcess) {
    this.#address = address
    this.#child = child
  }

  /** `speed` makes every time of the rules so many times shorter. */
  static async start(
    t: Test,
    targets: readonly string[],
    { everyMs, speed }: { readonly everyMs: number; readonly speed: number },
  ): Promise<Prometheus> {
    const folder = mkdtempSync(join(tmpdir(), 'platen-prometheus-'))
    const listen = `127.0.0.1:${await findClosedPort()}`
    const every = `${everyMs}ms`
    const config = {
      global: { scrape_interval: every, scrape_timeout: every, evaluation_interval: every },
      rule_files: ['platen.rules.yml'],
      scrape_configs: [{ job_name: 'platen', static_configs: [{ targets }] }],
    }
    // JSON is YAML.
    writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config))
    const rules = hasten(readFileSync(RULES, 'utf8'), speed)
    writeFileSync(join(folder, 'platen.rules.yml'), rules)
    const child = spawn(
      PROMETHEUS,
      [
        `--config.file=${folder}/prometheus.yml`,
        `--storage.tsdb.path=${folder}/data`,
        `--web.listen-address=${listen}`,
        '--log.level=error',
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    )
    const ended = once(child, 'exit')
    t.teardown(async () => {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true })
    })
    const one = new Prometheus(`http://${listen}`, child)
    while (!(await one.#isReady())) {
      if (child.exitCode !== null) throw new Error(`prometheus ended with ${child.exitCode}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return one
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** An expression, now. */
  async query(expression: string): Promise<readonly Sample[]> {
    const asked = `${this.#address}/api/v1/query?query=${encodeURIComponent(expression)}`
    const { data } = (await (await ask(asked)).json()) as {
      data: { result: { metric: Record<string, string>; value: [number, string] }[] }
    }
    return data.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }))
  }

  async #isReady(): Promise<boolean> {
    const answer = await fetch(`${this.#address}/-/ready`).catch(() => undefined)
    await answer?.arrayBuffer()
    return answer?.ok === true
  }
}

/** The rules with every time shorter. */
function hasten(rules: string, speed: number): string {
  const shorter = (text: string): string => {
    const [, count = '', unit = ''] = /^(\d+)([mh])$/.exec(text) ?? []
    const seconds = Number(count) * (unit === 'h' ? 3_600 : 60)
    return `${Math.round((seconds * 1_000) / speed)}ms`
  }
  return rules
    .replace(/(?<=\bfor: )\d+[mh]\b/g, shorter)
    .replace(/(?<=\[)\d+[mh](?=\])/g, shorter)
    .replace(/\b1800\b/g, String(1_800 / speed))
}
