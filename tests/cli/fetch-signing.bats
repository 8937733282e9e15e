#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fetch --sign-key: requests signed as Web Bot Auth demands. A server that shares no code with the signer verifies them,
# and so does openssl.

load helper
load servers

agent=https://bot.example

setup_file() { start_signed; }
teardown_file() { stop_servers; }
setup() { : >"$log"; }

get() { fetch --allow-private --sign-key="$key" --signature-agent=$agent "$@"; }

@test "each request is signed, each with a nonce of its own, and openssl says that the signature is good" {
  seq -f "$base/wants?%.0f" 20 | get >out
  (($(grep -c outcome=ok out) == 20))
  (($(awk '$3 == "good"' "$log" | wc -l) == 20))
  (($(cut -d' ' -f4 "$log" | sort -u | wc -l) == 20))
}

@test "off by default: nothing of it goes out" {
  fetch --allow-private "$base/free" >/dev/null
  [[ $(cut -d' ' -f3 "$log") == unsigned ]]
}

@test "a hop to another host has a signature of its own, for that host" {
  get --follow=1 "$base/other" | grep -q outcome=ok
  [[ $(cut -d' ' -f1,2,3 "$log") == "/other ${base#http://} good"$'\n'"/free localhost:${base##*:} good" ]]
  (($(cut -d' ' -f4 "$log" | sort -u | wc -l) == 2))
}

@test "--sign=asked: only for hosts that ask, once more for the first of their pages, and from then on at once" {
  for path in asks asks401 asks429; do
    : >"$log"
    printf '%s\n' "$base/"{free,$path,"$path?2",free} | get --sign=asked --in-flight=1 --ordered --warc=$path.warc >out
    (($(grep -c outcome=ok out) == 4))
    [[ $(cut -d' ' -f1,3 "$log" | paste -sd,) == "/free unsigned,/$path unsigned,/$path good,/$path?2 good,/free good" ]]
    # The first answer, to the unsigned request, is archived as an exchange of its own.
    python3 "$SPINNERET_ROOT/tests/support/warc-check.py" --records out $path.warc | grep -c $'\tresponse\|\trevisit' | grep -qx 5
  done
}

@test "--sign=asked: who asks for nothing gets nothing, and who is never content is asked twice" {
  get --sign=asked "$base/wants" | grep -q outcome=forbidden
  [[ $(cut -d' ' -f3 "$log") == unsigned ]]
  : >"$log"
  get --sign=asked "$base/refuses" | grep -q outcome=forbidden
  [[ $(cut -d' ' -f3 "$log" | xargs) == 'unsigned good' ]]
  : >"$log"
  get "$base/refuses" | grep -q outcome=forbidden
  [[ $(cut -d' ' -f3 "$log" | xargs) == good ]]
}

@test "--signing-directory: the key set to be published, with the thumbprint that requests name" {
  run -0 fetch --sign-key="$key" --signing-directory
  python3 -c '
import json, sys
keys = json.loads(sys.argv[1])["keys"]
assert keys == [{"kty": "OKP", "crv": "Ed25519", "kid": sys.argv[3], "x": sys.argv[2], "alg": "EdDSA", "use": "sig"}], keys
' "$output" "$x" "$keyid"
  # Nothing of the private key is printed.
  run ! grep -qF "$(openssl pkey -in "$key" -outform DER | tail -c 32 | basenc --base64url | cut -c1-20)" <<<"$output"
  run -2 bash -c 'fetch --sign-key="$key" --signing-directory >/dev/full'
}

@test "keys that are none, of another kind, locked or not there; agents that are none: said, and nothing is fetched" {
  openssl genpkey -algorithm rsa -pkeyopt rsa_keygen_bits:2048 -out rsa.pem 2>/dev/null
  openssl pkey -in "$key" -aes128 -passout pass:x -out locked.pem
  openssl pkey -in "$key" -pubout -out public.pem
  head -c 60 "$key" >cut.pem
  : >empty.pem
  for file in rsa locked public cut empty none; do
    for more in --signature-agent=$agent --signing-directory; do
      run -2 --separate-stderr fetch --allow-private --sign-key=$file.pem "$more" "$base/free" </dev/null
      [[ -z $output && $stderr == *"--sign-key: "*"$file.pem"* ]]
    done
  done
  [[ $stderr != *"PRIVATE KEY"* ]]
  for url in '' http://bot.example bot.example https://u:p@bot.example 'https://bot.example/#x' $'https://bot\r\nX: y'; do
    run -2 --separate-stderr fetch --allow-private --sign-key="$key" --signature-agent="$url" "$base/free"
    [[ -z $output && $stderr == *--signature-agent* ]]
  done
  for options in --signature-agent=$agent --sign=all --signing-directory "--sign-key=$key" \
    "--sign-key=$key --signature-agent=$agent --sign=never" '--header=Signature-Input:x' '--header=signature-agent:x'; do
    # shellcheck disable=SC2086
    run -2 --separate-stderr fetch --allow-private $options "$base/free"
    [[ -z $output ]]
  done
  [[ ! -s $log ]]
}
