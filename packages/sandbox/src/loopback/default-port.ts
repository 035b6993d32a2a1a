/** What a URL without a port means, for what an agent's project may talk to. */
const ports: Readonly<Record<string, number>> = {
  http: 80,
  ws: 80,
  https: 443,
  wss: 443,
  ftp: 21,
  ssh: 22,
  sftp: 22,
  smtp: 25,
  smtps: 465,
  ldap: 389,
  ldaps: 636,
  postgres: 5432,
  postgresql: 5432,
  cockroachdb: 26_257,
  mysql: 3306,
  mariadb: 3306,
  mssql: 1433,
  sqlserver: 1433,
  oracle: 1521,
  mongodb: 27_017,
  redis: 6379,
  rediss: 6379,
  valkey: 6379,
  memcached: 11_211,
  amqp: 5672,
  amqps: 5671,
  nats: 4222,
  mqtt: 1883,
  mqtts: 8883,
  kafka: 9092,
  stomp: 61_613,
  clickhouse: 9000,
  cassandra: 9042,
  neo4j: 7687,
  bolt: 7687,
  elasticsearch: 9200,
  opensearch: 9200,
  git: 9418,
};

/** A driver may follow the scheme, as in `postgresql+psycopg://`, or precede it, as in `git+ssh://`. */
export function defaultPort(scheme: string): number | undefined {
  const name = scheme.toLowerCase();
  const [first = "", last = ""] = [name.split("+")[0], name.split("+").at(-1)];
  if (first === "git") return ports[last];
  return ports[name] ?? ports[first];
}
